/** A player whose client runs in a Worker. e2e/worker-reload.spec.ts builds and starts it. */
import { Client } from "@paceline/client";

export interface Entered {
  readonly number: number;
  readonly others: number;
  readonly token: string;
}

interface Asked {
  readonly url: string;
  /** True to read the token, as a game does that may come back with it. */
  readonly readsToken: boolean;
}

/** The page has given the Worker one end of a channel. */
async function enter({ url, readsToken }: Asked, page: MessagePort): Promise<void> {
  const room = await new Client(url, { profile: "racing", transports: ["websocket"] }).joinOrCreate("race");
  const token = readsToken ? room.reconnectionToken : "";
  const entered: Entered = { number: room.myNumber, others: room.peers.length, token };
  page.postMessage(entered, []);
}

addEventListener("message", ({ data, ports }: MessageEvent<Asked>) => void enter(data, ports[0]!));
