import {
  SharedWriter,
  SnapshotReader,
  SharedSnapshotSender,
  StateHistory,
  defineEntity,
  planState,
  vec3,
  type EntityDefinition,
  type EntityRows,
} from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { expect, test } from "vitest";

const Buoy = defineEntity(
  "buoy",
  {
    position: vec3({ range: [-100, 100], precision: 0.01, unit: "m" }),
    velocity: vec3({ range: [-10, 10], precision: 0.01, unit: "m/s" }),
  },
  { motion: "velocity" },
) as unknown as EntityDefinition;

const TICKS = 300;
const RECEIVERS = 6;

class Sea {
  readonly plan = planState(Buoy, { tickHz: 30 });
  readonly history = new StateHistory({ plans: [this.plan] });
  readonly writer = new SharedWriter([this.plan]);
  readonly entities: EntityRows[];
  readonly receivers = Array.from({ length: RECEIVERS }, () => ({
    sender: new SharedSnapshotSender({ history: this.history, writer: this.writer, maxBytes: 60 }),
    reader: new SnapshotReader({ plans: [this.plan], historyTicks: 64, maxEntities: 64 }),
    sequence: 0,
  }));
  /** Number of states whose decoded values differ from the sent ones, and of dropped packets. */
  wrong = 0;
  readonly #random = seededRandom(9);

  constructor(count: number) {
    this.entities = Array.from({ length: count }, (_, id) => this.history.spawn(id, this.plan));
  }

  write(tick: number): void {
    for (const entity of this.entities) {
      const x = 90 * Math.sin(tick / 40 + entity.id);
      this.history.write(entity, tick, [x, entity.id, 0, 0.3, 0, this.#random.next()]);
    }
  }

  /** Sends a tick to one receiver; compares the arriving states with the sent ones and acknowledges them. */
  send(
    receiver: (typeof this.receivers)[number],
    tick: number,
    due: readonly EntityRows[],
    loss: number,
  ): void {
    const arrived: number[] = [];
    receiver.sender.write(tick, due, (body) => {
      const sequence = receiver.sequence++;
      if (this.#random.bool(loss)) return sequence;
      const reason = receiver.reader.read(body, tick, {
        onState: (entity, _tick, place) => {
          const sent = this.entities[entity.id]!;
          const at = sent.find(tick);
          for (let column = 0; column < 8; column++)
            if (entity.rows[place + column] !== sent.rows[at + column]) this.wrong += 1;
        },
        onRemoved: () => undefined,
        onDesync: () => (this.wrong += 1),
      });
      if (reason !== undefined) this.wrong += 1;
      arrived.push(sequence);
      return sequence;
    });
    for (const sequence of arrived) receiver.sender.acknowledge(sequence);
  }
}

test("receivers that have acknowledged the same are served by one encoding", () => {
  const sea = new Sea(5);
  for (let tick = 0; tick < TICKS; tick++) {
    sea.write(tick);
    for (const receiver of sea.receivers) sea.send(receiver, tick, sea.entities, 0);
  }
  expect(sea.wrong).toBe(0);
  expect(sea.writer.reused).toBe(sea.writer.encoded * (RECEIVERS - 1));
});

test("receivers with losses of their own, entities in any order and only some of them due, get what was sent", () => {
  const sea = new Sea(12);
  const random = seededRandom(4);
  for (let tick = 0; tick < TICKS; tick++) {
    sea.write(tick);
    const due = sea.entities.filter(() => random.bool(0.8));
    if (random.bool(0.5)) due.reverse();
    if (due.length === 0) continue;
    for (const [index, receiver] of sea.receivers.entries()) {
      if (random.bool(0.02)) receiver.sender.resync(sea.entities[random.int(0, 11)]!);
      sea.send(receiver, tick, due, index < 3 ? 0.01 : 0.2);
    }
  }
  expect(sea.wrong).toBe(0);
  expect(sea.writer.reused).toBeGreaterThan(TICKS);
});

test("a list of entities that is filled again for each receiver is not mistaken for the same", () => {
  const sea = new Sea(6);
  const due: EntityRows[] = [];
  for (let tick = 0; tick < 40; tick++) {
    sea.write(tick);
    for (const [index, receiver] of sea.receivers.entries()) {
      due.length = 0;
      due.push(sea.entities[index]!, sea.entities[(index + 1) % 6]!);
      sea.send(receiver, tick, due, 0);
    }
  }
  expect(sea.wrong).toBe(0);
  expect(sea.receivers.map(({ reader }) => reader.entities.size)).toEqual([2, 2, 2, 2, 2, 2]);
});
