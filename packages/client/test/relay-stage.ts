import type { Room } from "@paceline/client";
import { createRelay, type Relay, type RelayOptions } from "@paceline/relay";
import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { StagePlayer } from "@paceline/testkit/room";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach } from "vitest";

const STEP_MS = 5;
const MOST_JOIN_STEPS = 400;

/** A real relay and whole clients on a virtual clock; each is `delayMs` from the relay, one way. */
export class RelayStage {
  readonly scheduler = new VirtualScheduler({ startMs: 1000 });
  readonly relay: Relay;
  readonly #delayMs: number;
  readonly #random = seededRandom(1);
  readonly #rooms: Room[] = [];

  constructor({ delayMs = 50, ...options }: Partial<RelayOptions> & { readonly delayMs?: number } = {}) {
    const { scheduler } = this;
    this.#delayMs = delayMs;
    const rooms = { race: { maxPeers: 16 } };
    this.relay = createRelay({ rooms, scheduler, wallClockMs: () => scheduler.nowMs(), ...options });
    afterEach(() => {
      for (const room of this.#rooms.splice(0)) room.leave();
    });
  }

  player(): StagePlayer {
    return new StagePlayer({
      scheduler: this.scheduler,
      random: this.#random.fork(),
      network: { delayMs: this.#delayMs },
      accept: (link, protocols) => this.relay.takeLink(link, { address: "stage", protocols }),
    });
  }

  async join(player = this.player()): Promise<Room> {
    let room: Room | undefined;
    const joining = player.client.joinOrCreate("race").then((joined) => (room = joined));
    for (let step = 0; step < MOST_JOIN_STEPS && !room; step++) await this.advance(STEP_MS);
    this.#rooms.push(await joining);
    return room!;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      await nextTurn();
    }
  }
}
