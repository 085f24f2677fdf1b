/** A player whose client runs in a Worker. e2e/worker-reload.spec.ts builds and starts it. */
import { Client } from "@paceline/client";

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: { readonly url: string; readonly readsToken: boolean } }) => void;
  postMessage(message: object): void;
};

/** Joins, and tells the page who it is. `readsToken`: as a game that may come back with it does. */
async function enter(url: string, readsToken: boolean): Promise<void> {
  const room = await new Client(url, { profile: "racing", transports: ["websocket"] }).joinOrCreate("race");
  const token = readsToken ? room.reconnectionToken : "";
  scope.postMessage({ number: room.myNumber, others: room.peers.length, token });
}

scope.onmessage = ({ data: { url, readsToken } }) => void enter(url, readsToken);
