import { ReferenceCycle, type Receipt } from "@paceline/netcode";
import {
  ReferenceSender,
  SnapshotWriter,
  StateHistory,
  defineEntity,
  planState,
  scalar,
} from "@paceline/protocol";
import { describe, expect, test } from "vitest";

const TICK_MS = 1000 / 60;
const definition = defineEntity("dial", { angle: scalar({ range: [0, 1000], precision: 1 }) });

/** The owner of one entity. The test decides when receivers confirm its references. */
class Owner {
  readonly #plan = planState(definition, { tickHz: 60 });
  readonly #history = new StateHistory({ plans: [this.#plan], historyTicks: 128 });
  readonly #entity = this.#history.spawn(0, this.#plan);
  readonly sender = new ReferenceSender({
    history: this.#history,
    writer: new SnapshotWriter([this.#plan]),
  });
  readonly cycle = new ReferenceCycle(this.sender);
  readonly posted: number[] = [];
  receipts: Receipt[] = [];
  #tick = 0;

  get nowMs(): number {
    return this.#tick * TICK_MS;
  }

  run(ticks: number, isSending = false): void {
    for (let count = 0; count < ticks; count++) {
      this.#tick += 1;
      if (isSending || this.cycle.isGathering) {
        this.#history.write(this.#entity, this.#tick, [this.#tick % 1000]);
      }
      if (isSending) this.sender.write(this.#tick, [this.#entity], (body) => this.cycle.spent(body.length));
      this.cycle.step(this.#tick, this.nowMs, () => {
        this.posted.push(this.nowMs);
        return this.receipts;
      });
    }
  }
}

describe("a reference", () => {
  test("is used as soon as all receivers have it", () => {
    const owner = new Owner();
    const arrived = [false, false];
    owner.receipts = arrived.map((_, index) => ({ isOver: () => arrived[index]! }));
    owner.run(30);
    expect(owner.posted).toHaveLength(1);
    arrived[0] = true;
    owner.run(30);
    expect(owner.sender.active).toBe(-1);
    arrived[1] = true;
    owner.run(1);
    expect(owner.sender.active).toBeGreaterThan(0);
  });

  test("is used after 1.5 s even if a receiver does not confirm it", () => {
    const owner = new Owner();
    owner.receipts = [{ isOver: () => false }];
    owner.run(10);
    const [postedMs] = owner.posted;
    while (owner.nowMs < postedMs! + 1450) owner.run(1);
    expect(owner.sender.active).toBe(-1);
    while (owner.nowMs < postedMs! + 1550) owner.run(1);
    expect(owner.sender.active).toBeGreaterThan(0);
  });

  test("waits for a receiver that joins while it is in flight", () => {
    const owner = new Owner();
    const first = { isOver: () => true };
    owner.receipts = [{ isOver: () => false }, first];
    while (owner.posted.length === 0) owner.run(1);
    owner.receipts.length = 0;
    let hasJoined = false;
    owner.cycle.await([{ isOver: () => hasJoined }]);
    owner.run(5);
    expect(owner.sender.active).toBe(-1);
    hasJoined = true;
    owner.run(100);
    expect(owner.sender.active).toBeGreaterThan(0);
  });

  test("is replaced when differences from it have cost as much, not by time alone", () => {
    const owner = new Owner();
    owner.run(600);
    expect(owner.posted).toHaveLength(1);
    owner.run(600, true);
    const again = owner.posted.length - 1;
    // A tick costs a few bytes, a reference about two hundred.
    expect(again).toBeGreaterThan(3);
    expect(again).toBeLessThan(20);
    const intervals = owner.posted.slice(1).map((atMs, index) => atMs - owner.posted[index]!);
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(500);
  });
});
