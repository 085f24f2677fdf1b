/** A group of receivers with lines of their own, compared state by state with what was sent. */
import {
  Receiver,
  ReceiverGroup,
  SnapshotReader,
  SnapshotWriter,
  StateHistory,
  defineEntity,
  planState,
  vec3,
  type EntityDefinition,
  type EntityRows,
  type GroupStates,
} from "@paceline/protocol";
import { seededRandom, type Random } from "@paceline/testkit";
import { array, assert, boolean, constantFrom, integer, property, record } from "fast-check";
import { expect, test, vi } from "vitest";

const Buoy = defineEntity(
  "buoy",
  {
    position: vec3({ range: [-100, 100], precision: 0.01, unit: "m" }),
    velocity: vec3({ range: [-10, 10], precision: 0.01, unit: "m/s" }),
  },
  { motion: "velocity" },
) as unknown as EntityDefinition;

/** Steps of a voyage, before all entities move once more and rest. */
const STEPS = 260;
/** Steps after which an unacknowledged packet counts as lost. A step is a millisecond here. */
const LOST_AFTER = 9;

interface Line {
  readonly isInOrder: boolean;
  readonly loss: number;
  readonly delayTicks: number;
  readonly jitterTicks: number;
  /** True if the boat is in step with the group whenever it can be. */
  readonly mayStep: boolean;
  /** Share of the packets that cannot be sent. Default 0. */
  readonly refusals?: number;
}

/** A receiver with its line and its reader. Counts what it cannot decode or decodes differently. */
class Boat extends Receiver {
  readonly line: Line;
  readonly faults: string[] = [];
  readonly #sea: Sea;
  readonly #random: Random;
  readonly reader: SnapshotReader;
  #flying: { at: number; tick: number; sequence: number; body: Uint8Array }[] = [];
  #acks: { at: number; sequence: number }[] = [];
  #sequence = 0;

  constructor(sea: Sea, line: Line, random: Random) {
    super();
    this.#sea = sea;
    this.line = line;
    this.#random = random;
    this.isInOrder = line.isInOrder;
    this.reader = new SnapshotReader({ plans: [sea.plan], historyTicks: 64, maxEntities: 64 });
  }

  take(states: GroupStates, tick: number): void {
    const { isInOrder, loss, delayTicks, jitterTicks } = this.line;
    const sequence = (this.#sequence = (this.#sequence + 1) & 0xffff);
    const { now } = this.#sea;
    // Sometimes nothing can be sent.
    const isRefused = this.#random.bool(this.line.refusals ?? 0);
    this.sent(states, isRefused ? undefined : sequence, now);
    if (isRefused || this.#random.bool(loss)) return;
    const at = now + delayTicks + (isInOrder ? 0 : this.#random.int(0, jitterTicks));
    this.#flying.push({ at, tick, sequence, body: states.body.slice() });
  }

  /** Reads what has arrived, and acknowledges it after the same delay. */
  read(): void {
    const { now } = this.#sea;
    const here = this.#flying.filter(({ at }) => at <= now);
    this.#flying = this.#flying.filter(({ at }) => at > now);
    for (const { body, tick, sequence } of here) {
      const reason = this.reader.read(body, tick, {
        onState: (entity, of, place) => this.#compare(entity, of, place),
        onRemoved: () => undefined,
        onDesync: () => this.faults.push("desync"),
      });
      if (reason !== undefined) this.faults.push(reason);
      if (!this.line.isInOrder) this.#acks.push({ at: now + this.line.delayTicks, sequence });
    }
    for (const { sequence } of this.#acks.filter(({ at }) => at <= now)) this.acknowledge(sequence);
    this.#acks = this.#acks.filter(({ at }) => at > now);
  }

  #compare(entity: EntityRows, tick: number, place: number): void {
    const sent = this.#sea.sent.get(`${entity.id}@${tick}`)!;
    for (const [column, value] of sent.entries())
      if (entity.rows[place + column] !== value) return void this.faults.push(`entity ${entity.id}@${tick}`);
  }
}

class Sea {
  readonly plan = planState(Buoy, { tickHz: 30 });
  readonly history = new StateHistory({ plans: [this.plan] });
  readonly writer = new SnapshotWriter([this.plan]);
  readonly sent = new Map<string, Int32Array>();
  readonly group: ReceiverGroup<Boat>;
  readonly boats: Boat[] = [];
  /** The boats that were in step at some time. */
  readonly inStep = new Set<Boat>();
  /** Counts the steps, also where the tick starts again at 0. */
  now = 0;
  /** Bytes of each boat's bodies, tick by tick. */
  readonly bytes: Map<Boat, number>[] = [];

  constructor() {
    this.group = new ReceiverGroup({
      writer: this.writer,
      maxBytes: 90,
      maxBytesInOrder: 4000,
    });
  }

  add(line: Line): Boat {
    const boat = new Boat(this, line, seededRandom(this.boats.length + 1));
    this.boats.push(boat);
    boat.join(this.group);
    return boat;
  }

  spawn(id: number): void {
    this.history.spawn(id, this.plan);
  }

  rows(entity: EntityRows, tick: number): EntityRows {
    if (entity.find(tick) >= 0) return entity;
    const [x, z] = [90 * Math.sin(tick / 40 + entity.id), Math.sin(tick * (entity.id + 1))];
    this.history.write(entity, tick, [x, entity.id, z, 0.3, 0, Math.cos(tick * tick)]);
    const at = entity.find(tick);
    this.sent.set(`${entity.id}@${tick}`, entity.rows.slice(at, at + this.plan.width));
    return entity;
  }

  /** Writes a tick to the boats that are `here`, and what they wait for. */
  write(tick: number, due: readonly EntityRows[], here: readonly Boat[] = this.boats): void {
    const bytes = new Map<Boat, number>();
    const send = (): void => {
      for (let states = this.group.next(); states; states = this.group.next()) {
        for (const boat of states.receivers) {
          bytes.set(boat, (bytes.get(boat) ?? 0) + states.body.length);
          boat.take(states, tick);
        }
      }
    };
    for (const boat of this.boats) if (boat.isSkipping || !here.includes(boat)) boat.fallOut();
    for (const boat of here) boat.lose(this.now - LOST_AFTER, tick);
    const rows = due.map((entity) => this.rows(entity, tick));
    const all = () => this.history.entities.map((entity) => this.rows(entity, tick));
    this.group.start(tick, rows, here, all);
    send();
    for (const boat of here) {
      if (boat.isNew || boat.isSkipping) continue;
      const wanted = boat.wanted(3).map((entity) => this.rows(entity, tick));
      if (wanted.length > 0) this.group.startAlone(tick, boat, wanted);
    }
    send();
    for (const boat of here) if (boat.line.mayStep && this.group.takeInStep(boat)) this.inStep.add(boat);
    this.bytes.push(bytes);
  }

  /** Begins a step: reads what has arrived. */
  read(): void {
    this.now += 1;
    for (const boat of this.boats) boat.read();
  }
}

const line = record({
  isInOrder: boolean(),
  loss: constantFrom(0, 0.05, 0.3),
  delayTicks: integer({ min: 1, max: 4 }),
  jitterTicks: integer({ min: 0, max: 3 }),
  mayStep: boolean(),
  refusals: constantFrom(0, 0.02),
});
const whole: Line = { isInOrder: true, loss: 0, delayTicks: 1, jitterTicks: 0, mayStep: false };

/** Boats that are absent or blocked until a step, and boats that are slow for one. */
class Weather {
  readonly #random: Random;
  readonly #away = new Map<Boat, number>();
  readonly #blocked = new Map<Boat, number>();
  /** In some seas all boats are often slow at once. */
  readonly #stormRatio: number;

  constructor(random: Random) {
    this.#random = random;
    this.#stormRatio = random.bool(0.5) ? 0.03 : 0.4;
  }

  step(sea: Sea, step: number): void {
    const random = this.#random;
    const chosen = sea.boats[random.int(0, sea.boats.length - 1)]!;
    if (random.bool(0.05)) this.#away.set(chosen, step + random.int(1, 150));
    if (random.bool(0.03)) this.#blocked.set(chosen, step + random.int(1, 250));
    if (random.bool(0.05)) chosen.resync(sea.history.find(random.int(0, 9))!);
    if (random.bool(0.02)) chosen.restart();
    const isStorm = random.bool(this.#stormRatio);
    for (const boat of sea.boats)
      boat.isSkipping = isStorm || random.bool(0.03) || step < (this.#blocked.get(boat) ?? 0);
  }

  isAway(boat: Boat, step: number): boolean {
    return step < (this.#away.get(boat) ?? 0);
  }
}

/** Plays a sea of changing lines, guests, absences, requests and entities. Returns it at rest. */
function voyage(seed: number, first: number, lines: readonly Line[]): Sea {
  const random = seededRandom(seed);
  const sea = new Sea();
  for (let id = 0; id < 10; id++) sea.spawn(id);
  for (const each of lines) sea.add(each.isInOrder ? { ...each, loss: 0 } : each);
  const weather = new Weather(random);
  let tick = first;
  for (let step = 0; step < STEPS; step++) {
    tick = (first + step) >>> 0;
    sea.read();
    if (random.bool(0.05)) sea.add({ ...whole, isInOrder: random.bool(0.5), mayStep: random.bool(0.5) });
    if (random.bool(0.03)) replace(sea, random.int(0, 9));
    weather.step(sea, step);
    // The first five move now and then, so that their last states leave the window.
    const due = sea.history.entities.filter(({ id }) => random.bool(id < 5 ? 0.02 : 0.8));
    sea.write(
      tick,
      due,
      sea.boats.filter((boat) => !weather.isAway(boat, step)),
    );
  }
  for (const boat of sea.boats) boat.isSkipping = false;
  for (let step = 0; step < 60; step++) {
    tick = (tick + 1) >>> 0;
    sea.read();
    sea.write(tick, step === 0 ? sea.history.entities : []);
  }
  return sea;
}

function replace(sea: Sea, id: number): void {
  const entity = sea.history.find(id)!;
  for (const boat of sea.boats) boat.forget(entity);
  sea.history.remove(id);
  sea.spawn(id);
}

test("every receiver decodes what was sent, and in the end holds the newest state of every entity", () => {
  assert(
    property(
      integer({ min: 1, max: 1_000_000 }),
      constantFrom(0, 70_000, 2 ** 31 - 120, 2 ** 32 - 120),
      array(line, { minLength: 1, maxLength: 6 }),
      (seed, first, lines) => {
        const sea = voyage(seed, first, lines);
        for (const boat of sea.boats) {
          expect(boat.faults).toEqual([]);
          // Each state that a reader took was compared with the sent one.
          for (const { id } of sea.history.entities) {
            const held = boat.reader.entities.get(id)!.newest;
            expect([id, ((held - (first + STEPS)) | 0) >= 0]).toEqual([id, true]);
          }
        }
      },
    ),
    { numRuns: 15 },
  );
}, 600_000);

/** Plays 200 ticks with all entities on the move. `others` act before each tick. Returns the first boat's bytes. */
function firstBytes(others: (sea: Sea, step: number) => void): (number | undefined)[] {
  const sea = new Sea();
  for (let id = 0; id < 8; id++) sea.spawn(id);
  const first = sea.add(whole);
  for (let step = 0; step < 200; step++) {
    sea.read();
    others(sea, step);
    sea.write(
      step,
      sea.history.entities.filter(({ id }) => (step + id) % 3 > 0),
    );
  }
  expect(first.faults).toEqual([]);
  return sea.bytes.map((bytes) => bytes.get(first));
}

test("what others hold, lose, ask for and ignore changes no byte of a receiver whose line keeps order", () => {
  const alone = firstBytes(() => undefined);
  const random = seededRandom(3);
  const bad: Line = { isInOrder: false, loss: 0.3, delayTicks: 2, jitterTicks: 3, mayStep: false };
  const amongOthers = firstBytes((sea, step) => {
    if (step % 20 === 0) sea.add(step % 40 === 0 ? bad : whole);
    const other = sea.boats[random.int(1, sea.boats.length - 1)]!;
    if (random.bool(0.2)) other.resync(sea.history.find(random.int(0, 7))!);
    if (random.bool(0.1)) other.restart();
    if (random.bool(0.2)) other.acknowledge(random.int(0, 0xffff));
    other.isSkipping = random.bool(0.1);
  });
  expect(amongOthers).toEqual(alone);
});

test("receivers that hold the same share one encoding, whenever they joined", () => {
  const sea = new Sea();
  for (let id = 0; id < 5; id++) sea.spawn(id);
  const write = vi.spyOn(sea.writer, "write");
  for (let tick = 0; tick < 200; tick++) {
    sea.read();
    if (tick % 10 === 0 && tick < 100) sea.add(whole);
    if (tick === 150) write.mockClear();
    sea.write(tick, sea.history.entities);
  }
  expect(write).toHaveBeenCalledTimes(50);
});

/** Plays a sea whose receivers join, hold different states, and rest now and then. Returns the bytes of each, by tick. */
function steppedBytes(mayStep: boolean): { readonly sea: Sea; readonly encodings: number } {
  const random = seededRandom(11);
  const sea = new Sea();
  for (let id = 0; id < 8; id++) sea.spawn(id);
  const write = vi.spyOn(sea.writer, "write");
  for (let tick = 0; tick < 400; tick++) {
    sea.read();
    if (tick % 9 === 0 && tick < 200) sea.add({ ...whole, mayStep });
    if (random.bool(0.05)) replace(sea, random.int(0, 7));
    sea.write(
      tick,
      sea.history.entities.filter(({ id }) => random.bool(id < 4 ? 0.03 : 0.8)),
    );
  }
  return { sea, encodings: write.mock.calls.length };
}

test("receivers in step get the same bytes as if each kept what it holds, in no more encodings", () => {
  const [kept, own] = [steppedBytes(true), steppedBytes(false)];
  expect(kept.sea.inStep.size).toBe(kept.sea.boats.length);
  expect(kept.sea.boats.flatMap(({ faults }) => faults)).toEqual([]);
  expect(kept.encodings).toBeLessThanOrEqual(own.encodings);
  expect(bytesOf(kept.sea)).toEqual(bytesOf(own.sea));
});

function bytesOf({ boats, bytes }: Sea): (number | undefined)[][] {
  return boats.map((boat) => bytes.map((tick) => tick.get(boat)));
}

/** Plays a sea whose boats skip ticks. Returns it, and the number of encodings of each tick. */
function slowSea(boats: number, skips: (tick: number, boat: number) => boolean): [Sea, number[]] {
  const sea = new Sea();
  for (let id = 0; id < 12; id++) sea.spawn(id);
  for (let boat = 0; boat < boats; boat++) sea.add(whole);
  const write = vi.spyOn(sea.writer, "write");
  const encodings: number[] = [];
  for (let tick = 0; tick < 90; tick++) {
    sea.read();
    for (const [index, boat] of sea.boats.entries()) boat.isSkipping = tick > 0 && skips(tick, index);
    write.mockClear();
    // Each entity rests at times, so that a state that is skipped may be its last one for long.
    sea.write(
      tick,
      sea.history.entities.filter(({ id }) => ((tick >> 3) + id) % 4 > 0),
    );
    encodings.push(write.mock.calls.length);
    // Up to three of them come to rest while a boat is slow. It gets them as soon as it is served again.
    for (const { isSkipping, waiting } of sea.boats) expect(isSkipping ? 0 : waiting).toBe(0);
  }
  expect(sea.boats.flatMap(({ faults }) => faults)).toEqual([]);
  return [sea, encodings];
}

test("a room whose receivers are all slow at the same ticks encodes for all of them at once", () => {
  const [sea, encodings] = slowSea(150, (tick) => tick % 3 === 0);
  expect(Math.max(...encodings.slice(2))).toBeLessThanOrEqual(2);
  for (const bytes of sea.bytes) expect(new Set(bytes.values()).size).toBeLessThanOrEqual(1);
});

test("a room whose receivers are slow at different ticks encodes for those together that skipped the same ones", () => {
  const [, encodings] = slowSea(150, (tick, boat) => (tick + boat) % 3 === 0);
  // Two thirds of the boats are served at a tick: those that skipped the last one, and those that skipped the one before.
  expect(Math.max(...encodings.slice(2))).toBeLessThanOrEqual(3);
});
