import { ReferenceCycle } from "@paceline/netcode";
import {
  ReferenceSender,
  SnapshotReader,
  defineEntity,
  limits,
  readReference,
  vec2,
  type DropReason,
} from "@paceline/protocol";
import { expect, test } from "vitest";
import { OwnedEntities } from "../src/entities/owned-entities.js";
import { StateStream } from "../src/modes/state-stream.js";

const TICK_MS = 1000 / 60;
const puck = defineEntity("puck", { position: vec2({ range: [-100, 100], precision: 0.01 }) });
const listener = { onState() {}, onRemoved() {}, onDesync() {}, onReplaced() {} };

/** One moving entity whose states go to several receivers, in a packet for all of them. */
class Sender {
  readonly #owned = new OwnedEntities({
    tickSeconds: TICK_MS / 1000,
    idOf: (localId) => localId,
    tick: () => this.tick,
    onTeleport: () => undefined,
    onClamp: () => undefined,
  });
  readonly #record = this.#owned.spawn(puck, {});
  readonly stream = new StateStream(0, puck, 60);
  /** A receiver from the start, which gets every reference. */
  readonly receiver = this.newReceiver();
  tick = 0;

  constructor() {
    this.stream.add(this.#record);
  }

  newReceiver(): SnapshotReader {
    return new SnapshotReader({
      plans: [this.stream.plan],
      historyTicks: limits.historyTicks,
      maxEntities: 8,
    });
  }

  /** Sends the state of the next tick to all receivers, and returns its packet. */
  step(): Uint8Array {
    this.tick += 1;
    (this.#record.entity as unknown as { readonly position: { x: number } }).position.x = this.tick / 7;
    this.#owned.sample(this.tick, { share: 1, sinceMs: TICK_MS });
    const bodies: Uint8Array[] = [];
    const rows = [this.stream.rowsAt(this.#record, this.tick)];
    this.stream.writeShared(this.tick, rows, (body) => bodies.push(body.slice()));
    this.stream.cycle?.step(this.tick, this.tick * TICK_MS, (messages) => {
      for (const message of messages) readReference(this.receiver, message, listener);
      return [];
    });
    return bodies[0]!;
  }

  reads(receiver: SnapshotReader, body: Uint8Array): DropReason | undefined {
    return receiver.read(body, this.tick, listener);
  }
}

test("states for several receivers are whole until the code of references has come, and differ less from then on", () => {
  const sender = new Sender();
  for (let ticks = 0; ticks < 30; ticks++)
    expect(sender.reads(sender.newReceiver(), sender.step())).toBeUndefined();
  const whole = sender.step();
  sender.stream.refer({ ReferenceSender, ReferenceCycle });
  for (let ticks = 0; ticks < 30; ticks++)
    expect(sender.reads(sender.receiver, sender.step())).toBeUndefined();
  const difference = sender.step();
  expect(difference.length).toBeLessThan(whole.length);
  expect(sender.reads(sender.receiver, difference)).toBeUndefined();
  expect(sender.reads(sender.newReceiver(), difference)).toBe("unknown-entity");
});
