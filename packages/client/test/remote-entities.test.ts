import {
  defineEntity,
  describeColumns,
  limits,
  scalar,
  vec2,
  writeSlot,
  type DropReason,
  type EntityDefinition,
  type PeerPayload,
} from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { DropCounters, TokenBucket } from "@paceline/transport";
import { describe, expect, test, vi } from "vitest";
import type { Entity } from "../src/entities/entity.js";
import { RemoteEntities } from "../src/modes/mesh/remote-entities.js";
import type { StreamOwner } from "../src/modes/mesh/remote-streams.js";
import { RoomListeners } from "../src/modes/room-listeners.js";
import { RawStates } from "./raw-states.js";

const position = vec2({ range: [-10, 10], precision: 0.01 });
const puck = defineEntity("puck", { position });
const known = puck as unknown as EntityDefinition;
const FIRST = 3 * 0x10000;

type Entry = readonly [localId: number, ...values: number[]];

class Scene {
  readonly spawned: number[] = [];
  readonly despawned: number[] = [];
  readonly mismatches: string[][] = [];
  readonly drops: (DropReason | undefined)[] = [];
  readonly told: PeerPayload[] = [];
  readonly clock = new VirtualScheduler();
  readonly #listeners = new RoomListeners();
  readonly #definition: EntityDefinition;
  readonly states: RawStates;
  readonly entities: RemoteEntities;

  constructor(definition: unknown = known, { announcement = true, mine = known } = {}) {
    this.#definition = mine;
    const listeners = this.#listeners;
    listeners.use(mine);
    listeners.entities.onSpawn(mine, ({ id }) => this.spawned.push(id));
    listeners.entities.onDespawn(mine, ({ id }) => this.despawned.push(id));
    listeners.differs = (name, _who, differences) => this.mismatches.push([name, ...differences]);
    const drops = new DropCounters();
    drops.count = (reason) => this.drops.push(reason);
    const view = {
      isInterpolated: false,
      extrapolationLimitMs: 250,
      interpolationDelayMs: 100,
      intervalMs: 50,
      lagMs: 0,
      loadInterpolation: () => import("../src/doors/interpolation.js"),
    };
    const parts = { scheduler: this.clock, listeners, drops, view };
    const allowance = new TokenBucket(limits.statesPerSecond, limits.statesBurst, this.clock.nowMs());
    const chargeItems = (): void => undefined;
    const takeStates = (states: number): boolean => allowance.take(states, this.clock.nowMs());
    const trySend = (payload: PeerPayload): boolean => this.told.push(payload) > 0;
    this.entities = new RemoteEntities({ ...parts, loadColumns: () => import("../src/doors/columns.js") }, {
      number: 3,
      sessionNumber: 3,
      rttMs: undefined,
      trySend,
      takeStates,
      chargeItems,
    } as Partial<StreamOwner> as StreamOwner);
    this.states = new RawStates(definition);
    if (announcement) this.announce(this.states.announcement());
  }

  announce(payload: PeerPayload): void {
    if (payload.kind === "stream") this.#note(this.entities.announce(payload));
  }

  /** Lets the game use a definition. */
  use(definition: EntityDefinition): void {
    this.#listeners.use(definition);
    this.#listeners.entities.onSpawn(definition, ({ id }) => this.spawned.push(id));
    this.entities.defined(definition.name);
  }

  describe(): DropReason | undefined {
    return this.entities.describe(0, describeColumns(this.states.definition));
  }

  reliably(payload: PeerPayload): void {
    if (payload.kind === "reference") this.#note(this.entities.takeReference(payload.stream, payload.states));
  }

  receive(tick: number, ...entries: Entry[]): number {
    return this.take(this.states.body(tick, ...entries), tick);
  }

  take(body: Uint8Array, tick: number): number {
    return this.entities.receive(body, tick, (reason) => this.drops.push(reason));
  }

  get positions(): Record<number, [number, number]> {
    const list = [...this.entities.store.ofKind(this.#definition)] as unknown as {
      readonly id: number;
      readonly position: { readonly x: number; readonly y: number };
    }[];
    return Object.fromEntries(list.map(({ id, position: { x, y } }) => [id, [x, y]]));
  }

  #note(reason: DropReason | undefined): void {
    if (reason) this.drops.push(reason);
  }
}

describe("entities of a peer", () => {
  test("[WF9] take newer states and no older ones", () => {
    const scene = new Scene();
    scene.reliably(scene.states.reference(100, [0, 1, 1]));
    expect(scene.receive(101, [0, 2, 2])).toBe(1);
    expect(scene.receive(101, [0, 3, 3])).toBe(0);
    expect(scene.receive(100, [0, 4, 4])).toBe(0);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
  });

  test("keep a state that was not read when another one of its tick arrives", () => {
    const scene = new Scene();
    scene.reliably(scene.states.reference(100, [0, 1, 1]));
    scene.receive(101, [0, 2, 2]);
    scene.receive(101, [0, 3, 3]);
    scene.receive(103, [0, 4, 4]);
    scene.receive(103, [0, 5, 5]);
    expect(scene.positions).toEqual({ [FIRST]: [4, 4] });
  });

  test("move as if they were read in every frame, and without a read call no model of the game", () => {
    let calls = 0;
    const slider = defineEntity(
      "puck",
      { position },
      {
        motion: "step",
        step: (state, seconds) => {
          calls += 1;
          state.position.x += 3 * seconds;
        },
      },
    ) as unknown as EntityDefinition;
    const [watched, unwatched] = [new Scene(slider, { mine: slider }), new Scene(slider, { mine: slider })];
    const shownIn = (scene: Scene): number => {
      const [entity] = scene.entities.store.ofKind(slider) as Iterable<Entity<typeof puck>>;
      return entity!.shown.position.x;
    };
    for (let index = 0; index < 60; index++) {
      // The row of the reader keeps 64 ticks.
      const [tick, x] = [100 + index * 5, Math.sin(index) * 5];
      const callsBefore = calls;
      for (const scene of [watched, unwatched]) {
        scene.clock.advance(83);
        if (index === 0) scene.reliably(scene.states.reference(tick, [0, x, 0]));
        else scene.receive(tick, [0, x, 0]);
      }
      expect(calls).toBe(callsBefore);
      shownIn(watched);
    }
    for (const scene of [watched, unwatched]) scene.clock.advance(83);
    expect(shownIn(unwatched)).toBeCloseTo(shownIn(watched), 6);
    expect(unwatched.positions).toEqual(watched.positions);
  });

  test("[WF5] [WF9] recognise a newer tick across the wrap of 32 bits", () => {
    const scene = new Scene();
    scene.receive(0xffffffff, [0, 1, 1]);
    expect(scene.receive(3, [0, 2, 2])).toBe(1);
    expect(scene.receive(0xffffffff, [0, 3, 3])).toBe(0);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
  });

  test("[WF9] are those of the stream that the body names", () => {
    const scene = new Scene();
    const body = scene.states.body(101, [0, 1, 1], [1, 2, 2]);
    expect(scene.take(Uint8Array.of(9, ...body.subarray(1)), 101)).toBe(0);
    expect(scene.take(new Uint8Array(0), 101)).toBe(0);
    expect(scene.drops).toEqual(["unknown-entity", "length"]);
    expect(scene.take(body, 101)).toBe(2);
    expect(scene.positions).toEqual({ [FIRST]: [1, 1], [FIRST + 1]: [2, 2] });
  });

  test("[WF9] ignore messages that are malformed in any part", () => {
    const scene = new Scene();
    scene.receive(101, [0, 1, 1], [1, 1, 1]);
    const body = scene.states.body(102, [0, 2, 2], [1, 2, 2]);
    for (let more = 9; more < 17; more++) scene.take(Uint8Array.of(...body, ...new Uint8Array(more)), 102);
    expect(scene.positions).toEqual({ [FIRST]: [1, 1], [FIRST + 1]: [1, 1] });
    expect(scene.drops).toEqual(Array.from({ length: 8 }, () => "length"));
    // A cut body may be another valid one. Its values still keep to their ranges.
    for (let length = 1; length < body.length; length++) scene.take(body.subarray(0, length), 102 + length);
    for (const [x, y] of Object.values(scene.positions)) {
      expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(10);
    }
    expect(scene.take(scene.states.body(200, [0, 2, 2]), 200)).toBe(1);
  });

  test("[WF15] begin and end; a late state does not bring one back", () => {
    const scene = new Scene();
    scene.reliably(scene.states.reference(100, [0, 1, 1]));
    scene.reliably(scene.states.removal(102, 0));
    scene.reliably(scene.states.removal(102, 0));
    expect(scene.receive(101, [0, 1, 1])).toBe(0);
    expect([scene.spawned, scene.despawned]).toEqual([[FIRST], [FIRST]]);
    expect(scene.receive(103, [0, 5, 5])).toBe(1);
    expect(scene.positions).toEqual({ [FIRST]: [5, 5] });
  });

  test("[WF15] end with the session", () => {
    const scene = new Scene();
    scene.receive(100, [0, 1, 1], [5, 1, 1]);
    scene.entities.store.clear();
    expect(scene.despawned).toEqual([FIRST, FIRST + 5]);
  });

  test("[WF20] [WF17] of other columns are requested and read by their description, and the game is told once", async () => {
    const spin = scalar({ range: [0, 1], precision: 0.1 });
    const scene = new Scene(
      defineEntity("puck", { spin, position: vec2({ range: [-20, 20], precision: 0.1 }) }),
    );
    expect(scene.told).toEqual([{ kind: "columns", stream: 0, columns: new Uint8Array(0) }]);
    scene.reliably(scene.states.reference(99, [0, 0.5, 3, 3]));
    expect(scene.receive(100, [0, 0.5, 4, 4])).toBe(0);
    expect([scene.spawned, scene.drops]).toEqual([[], []]);
    expect(scene.describe()).toBeUndefined();
    await vi.dynamicImportSettled();
    expect(scene.positions).toEqual({ [FIRST]: [3, 3] });
    expect(scene.told.slice(1)).toEqual([{ kind: "resync", stream: 0, entities: [] }]);
    expect(scene.receive(101, [0, 0.5, 2, -15])).toBe(1);
    expect(scene.positions).toEqual({ [FIRST]: [2, -10] });
    expect(scene.mismatches).toEqual([["puck", '"position" in other bounds', '"spin" besides']]);
    expect(scene.describe()).toBe("bad-message");
    expect(scene.entities.describe(7, Uint8Array.of(0, 0))).toBe("unknown-entity");
  });

  test("[WF17] of impossible columns are never shown; the game is told", async () => {
    for (const columns of [
      [9, 0],
      [0, 0],
      [0, 0x81, 0x80, 0x80],
      [0, 1, 4, 1, 120, 0, 0, 0, 0, 0, 0],
      [1, 1, 7, 1, 120],
    ]) {
      const scene = new Scene(defineEntity("puck", { place: scalar({ range: [0, 1], precision: 0.1 }) }));
      expect(scene.entities.describe(0, Uint8Array.from(columns))).toBeUndefined();
      await vi.dynamicImportSettled();
      expect(scene.drops).toEqual(["bad-message"]);
      expect(scene.entities.describe(0, Uint8Array.from(columns))).toBe("bad-message");
      expect(scene.receive(100, [0, 0.5])).toBe(0);
      expect([scene.spawned, scene.mismatches]).toEqual([[], [["puck", "columns that cannot be"]]]);
    }
  });
});

describe("missing states", () => {
  test("[WF16] are requested when messages in a row cannot be read, and not again at once", () => {
    const scene = new Scene();
    const tooLong = Uint8Array.of(...scene.states.body(101, [0, 1, 1]), ...new Uint8Array(9));
    for (let count = 0; count < 10; count++) scene.take(tooLong, 101 + count);
    expect(scene.told).toEqual([{ kind: "resync", stream: 0, entities: [] }]);
    scene.clock.advance(1500);
    for (let count = 0; count < 3; count++) scene.take(tooLong, 120 + count);
    expect(scene.told).toHaveLength(2);
  });
});

describe("the slot of a peer's stream", () => {
  const silent = { announcement: false };
  const slotOf = (scene: Scene, tick: number, ...entries: Entry[]): Uint8Array => {
    const whole = scene.states.reference(tick, ...entries);
    const states = whole.kind === "reference" ? whole.states : undefined;
    return writeSlot({ start: scene.states.announcement(), states });
  };
  const given = (tick = 100, ...entries: Entry[]): Scene => {
    const scene = new Scene(known, silent);
    const slot = slotOf(scene, tick, ...(entries.length > 0 ? entries : [[0, 1, 1] as const]));
    expect(scene.entities.takeSlot(slot, 0)).toBeUndefined();
    return scene;
  };

  test("[WF28] is shown until the owner's states arrive", () => {
    const scene = given(100, [0, 1, 1], [1, 2, 2]);
    expect(scene.positions).toEqual({ [FIRST]: [1, 1], [FIRST + 1]: [2, 2] });
    scene.announce(scene.states.announcement({ entities: [0, 1] }));
    scene.reliably(scene.states.reference(130, [1, 5, 5]));
    expect(scene.positions).toEqual({ [FIRST]: [1, 1], [FIRST + 1]: [5, 5] });
    expect(scene.spawned).toEqual([FIRST, FIRST + 1]);
    expect([scene.despawned, scene.drops]).toEqual([[], []]);
  });

  test("[WF28] may have no entities", () => {
    const scene = new Scene(known, silent);
    const slot = writeSlot({ start: scene.states.announcement() });
    expect(scene.entities.takeSlot(slot, 0)).toBeUndefined();
    scene.announce(scene.states.announcement());
    scene.reliably(scene.states.reference(130, [1, 5, 5]));
    expect([scene.positions, scene.drops]).toEqual([{ [FIRST + 1]: [5, 5] }, []]);
  });

  test("[WF14] [WF28] loses the entities that the owner's announcement does not list", () => {
    const scene = given(100, [0, 1, 1], [1, 2, 2], [2, 3, 3]);
    scene.announce(scene.states.announcement({ entities: [1, 7] }));
    expect(scene.despawned).toEqual([FIRST, FIRST + 2]);
    expect(scene.positions).toEqual({ [FIRST + 1]: [2, 2] });
    // Another entity may get the number.
    scene.reliably(scene.states.reference(130, [0, 4, 4]));
    expect(scene.positions).toEqual({ [FIRST]: [4, 4], [FIRST + 1]: [2, 2] });
    // Only the first announcement speaks of the slot.
    scene.announce(scene.states.announcement());
    expect([scene.drops, scene.despawned.length]).toEqual([["bad-message"], 2]);
  });

  test("[WF28] is the only source before the owner's announcement: its other messages were overtaken by none", () => {
    const scene = given();
    expect(scene.receive(101, [0, 2, 2], [3, 2, 2])).toBe(0);
    scene.reliably(scene.states.reference(102, [0, 2, 2]));
    expect([scene.positions, scene.drops]).toEqual([
      { [FIRST]: [1, 1] },
      ["unknown-entity", "unknown-entity"],
    ]);
    scene.announce(scene.states.announcement({ entities: [0] }));
    expect(scene.receive(103, [0, 3, 3], [3, 2, 2])).toBe(2);
    expect(scene.despawned).toEqual([]);
  });

  test("[WF28] is outdated after the owner's announcement, after a slot of the stream, and after its end", () => {
    const late = new Scene();
    late.reliably(late.states.reference(200, [0, 9, 9]));
    for (const tick of [100, 300])
      expect(late.entities.takeSlot(slotOf(late, tick, [0, 1, 1], [1, 1, 1]), 0)).toBe("outdated");
    expect(late.positions).toEqual({ [FIRST]: [9, 9] });
    const twice = given();
    expect(twice.entities.takeSlot(slotOf(twice, 101, [1, 1, 1]), 0)).toBe("outdated");
    expect(twice.positions).toEqual({ [FIRST]: [1, 1] });
    const next = new RawStates(known, 1);
    twice.announce(next.announcement());
    expect(twice.entities.takeSlot(slotOf(twice, 102, [1, 1, 1]), 0)).toBe("outdated");
  });

  test("[WF28] and the owner's states are ordered by their ticks, around the wrap too", () => {
    for (const tick of [100, 2 ** 32 - 1, 2 ** 32 - 2]) {
      const scene = given(tick);
      const at = (later: number): number => (tick + later) % 2 ** 32;
      scene.announce(scene.states.announcement({ entities: [0] }));
      scene.reliably(scene.states.reference(at(2 ** 32 - 1), [0, 7, 7]));
      expect(scene.positions, `tick ${tick}`).toEqual({ [FIRST]: [1, 1] });
      expect(scene.receive(at(2), [0, 8, 8])).toBe(1);
      expect(scene.positions, `tick ${tick}`).toEqual({ [FIRST]: [8, 8] });
    }
  });

  test("[WF28] must be of the stream that the owner announces: another rate or definition is refused", () => {
    for (const other of [{ tickHz: 30 }, { schemaHash: 1 }]) {
      const scene = given();
      scene.announce(scene.states.announcement({ ...other, entities: [0] }));
      expect([scene.drops, scene.positions]).toEqual([["bad-message"], { [FIRST]: [1, 1] }]);
    }
  });

  test("[WF17] of another build asks for the columns, once", async () => {
    const wide = defineEntity("puck", { position, speed: scalar({ range: [0, 1], precision: 0.1 }) });
    const scene = new Scene(wide, silent);
    expect(scene.entities.takeSlot(slotOf(scene, 100, [0, 1, 1, 0]), 0)).toBeUndefined();
    expect(scene.told).toEqual([{ kind: "columns", stream: 0, columns: new Uint8Array(0) }]);
    expect(scene.describe()).toBeUndefined();
    await vi.dynamicImportSettled();
    expect(scene.positions).toEqual({ [FIRST]: [1, 1] });
    scene.announce(scene.states.announcement({ entities: [] }));
    expect([scene.positions, scene.told.length]).toEqual([{}, 1]);
  });

  test("[WF28] of a kind that the game first uses later waits, but not beyond the owner's announcement", () => {
    for (const isAnnounced of [false, true]) {
      const other = defineEntity("disc", { position });
      const scene = new Scene(known, { ...silent, mine: other as unknown as EntityDefinition });
      expect(scene.entities.takeSlot(slotOf(scene, 100, [0, 1, 1], [1, 2, 2]), 0)).toBeUndefined();
      if (isAnnounced) {
        scene.announce(scene.states.announcement({ entities: [1] }));
        scene.reliably(scene.states.reference(130, [1, 5, 5]));
      }
      scene.use(known);
      expect(scene.spawned).toEqual(isAnnounced ? [FIRST + 1] : [FIRST, FIRST + 1]);
      // An owner that is about to announce its stream is not asked for states.
      expect(scene.told).toEqual(isAnnounced ? [{ kind: "resync", stream: 0, entities: [] }] : []);
    }
  });

  test("[WF28] may be any bytes: invalid ones are dropped", () => {
    for (const bytes of [[], [0], [5, 1], [2, 0x0c, 0], [255, 255, 255], [3, 8, 0, 0]]) {
      const scene = new Scene(known, silent);
      expect(scene.entities.takeSlot(Uint8Array.from(bytes), 0)).toBe("bad-message");
      expect(scene.positions).toEqual({});
    }
    const scene = new Scene(known, silent);
    const whole = slotOf(scene, 100, [0, 1, 1]);
    const states = Uint8Array.from(whole, (byte, at) => (at === whole.length - 1 ? byte ^ 0xff : byte));
    scene.entities.takeSlot(states, 0);
    expect(
      Object.values(scene.positions)
        .flat()
        .every((value) => Math.abs(value) <= 10),
    ).toBe(true);
  });
});
