import {
  ByteWriter,
  defineEntity,
  vec2,
  writeComponents,
  writeState,
  type DropReason,
  type EntityDefinition,
  type Spawn,
} from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import type { Peer } from "../src/peer.js";
import { RemoteEntities } from "../src/remote-entities.js";

const puck = defineEntity("puck", { position: vec2({ range: [-10, 10], precision: 0.01 }) });
const known = puck as unknown as EntityDefinition;
const owner: Peer = {
  id: "o",
  number: 3,
  path: "relay",
  channel: "",
  reason: "",
  rttMs: undefined,
  stats: { bytesOutPerS: 0, bytesInPerS: 0, updatesOutPerS: 0, updatesInPerS: 0, lossRatio: 0 },
} as unknown as Peer;

class Scene {
  readonly spawned: number[] = [];
  readonly despawned: number[] = [];
  readonly mismatches: string[] = [];
  readonly drops: DropReason[] = [];
  readonly entities = new RemoteEntities({
    owner,
    clock: new VirtualScheduler(),
    definitionNamed: (name) => (name === "puck" ? known : undefined),
    view: {
      isInterpolated: false,
      extrapolationLimitMs: 250,
      interpolationDelayMs: 100,
      intervalMs: 50,
      lagMs: 0,
    },
    onSpawn: ({ id }) => this.spawned.push(id),
    onDespawn: ({ id }) => this.despawned.push(id),
    onMismatch: (name) => this.mismatches.push(name),
    onFault: () => undefined,
  });

  spawn(localId: number, values: readonly number[], more: Partial<Spawn> = {}): DropReason | undefined {
    const state = new ByteWriter();
    writeComponents(state, values);
    const { name, schemaHash } = puck;
    const spawn = { localId, name, schemaHash, tickHz: 60, tick: 100, state: state.take() };
    return this.entities.spawn({ ...spawn, ...more });
  }

  receive(tick: number, ...entries: readonly (readonly [localId: number, ...values: number[]])[]): number {
    const body = new ByteWriter();
    for (const [localId, ...values] of entries) writeState(body, localId, values);
    return this.entities.receive(body.take(), tick, (reason) => this.drops.push(reason));
  }

  /** Positions of all entities, by id. */
  get positions(): Record<number, [number, number]> {
    const list = [...this.entities.entities(known)] as unknown as {
      readonly id: number;
      readonly position: { readonly x: number; readonly y: number };
    }[];
    return Object.fromEntries(list.map(({ id, position: { x, y } }) => [id, [x, y]]));
  }
}

const FIRST = 3 * 0x10000;

describe("entities of a peer", () => {
  test("[WF39] take newer states and drop those that are not", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1]);
    expect(scene.receive(101, [0, 2, 2])).toBe(1);
    expect(scene.receive(101, [0, 3, 3])).toBe(0);
    expect(scene.receive(100, [0, 4, 4])).toBe(0);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
    expect(scene.drops).toEqual(["outdated", "outdated"]);
  });

  test("[WF9] [WF39] know a newer tick across the wrap of 32 bits", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1], { tick: 0xffffffff });
    expect(scene.receive(3, [0, 2, 2])).toBe(1);
    expect(scene.receive(0xffffffff, [0, 3, 3])).toBe(0);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
  });

  test("[WF14] [WF15] are dropped one by one, the others of the message stay", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1]);
    scene.spawn(1, [1, 1]);
    const applied = scene.receive(101, [7, 1, 1], [0, 11, 0], [0, 1, 2, 3], [1, 5, 5]);
    expect(applied).toBe(1);
    expect(scene.positions).toEqual({ [FIRST]: [1, 1], [FIRST + 1]: [5, 5] });
    expect(scene.drops).toEqual(["unknown-entity", "out-of-range", "unknown-entity"]);
  });

  test("[WF14] before a cut entry are taken", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1]);
    const body = new ByteWriter();
    writeState(body, 0, [2, 2]);
    writeState(body, 0, [3, 3]);
    const cut = body.take().subarray(0, -1);
    expect(scene.entities.receive(cut, 101, (reason) => scene.drops.push(reason))).toBe(1);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
    expect(new Set(scene.drops)).toEqual(new Set(["length"]));
  });

  test("[WF41] begin and end; a spawn of an id in use ends the older one first", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1]);
    scene.spawn(0, [2, 2], { tick: 50 });
    expect([scene.spawned, scene.despawned]).toEqual([[FIRST, FIRST], [FIRST]]);
    expect(scene.positions).toEqual({ [FIRST]: [2, 2] });
    scene.entities.despawn(0);
    scene.entities.despawn(0);
    expect(scene.despawned).toEqual([FIRST, FIRST]);
    expect(scene.positions).toEqual({});
  });

  test("[WF41] end with the session", () => {
    const scene = new Scene();
    scene.spawn(0, [1, 1]);
    scene.spawn(5, [1, 1]);
    scene.entities.clear();
    expect(scene.despawned).toEqual([FIRST, FIRST + 5]);
  });

  test("[WF22] [WF28] are not spawned from states out of range, of another width, or of another hash", () => {
    const scene = new Scene();
    expect(scene.spawn(0, [11, 0])).toBe("out-of-range");
    expect(scene.spawn(0, [Number.NaN, 0])).toBe("out-of-range");
    expect(scene.spawn(0, [1])).toBe("out-of-range");
    expect(scene.spawn(0, [1, 1, 1])).toBe("out-of-range");
    expect(scene.spawn(0, [1, 1], { schemaHash: puck.schemaHash ^ 1 })).toBe("bad-message");
    expect([scene.spawned, scene.mismatches]).toEqual([[], ["puck"]]);
  });
});
