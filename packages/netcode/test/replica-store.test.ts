import { ConfigError, defineEntity, scalar, string } from "@paceline/protocol";
import { Replica, ReplicaStore } from "@paceline/netcode";
import { describe, expect, test } from "vitest";

const Sign = defineEntity("sign", {
  height: scalar({ range: [0, 10], precision: 0.1, default: 2 }),
  text: string({ maxBytes: 20 }),
});
const Bar = defineEntity("bar", { health: scalar({ range: [0, 100], precision: 1 }) });

const add = (store: ReplicaStore<Replica>, definition: typeof Sign | typeof Bar, id = store.freeId()) =>
  store.add(definition, (place) => new Replica(id, place, {}));

describe("ReplicaStore", () => {
  test("finds an entity by id, by kind and by the game's object until it is removed", () => {
    const store = new ReplicaStore<Replica>();
    const sign = add(store, Sign);
    const bar = add(store, Bar);
    expect([sign.id, bar.id, store.size]).toEqual([0, 1, 2]);
    expect(store.get(1)).toBe(bar);
    expect(store.of(sign.entity)).toBe(sign);
    expect([...store.ofKind(Bar)]).toEqual([bar]);
    store.remove(bar);
    expect([store.get(1), store.of(bar.entity), [...store.ofKind(Bar)]]).toEqual([undefined, undefined, []]);
    expect([...store.values()]).toEqual([sign]);
  });

  test("keeps the last values of a removed entity whose row is reused", () => {
    const store = new ReplicaStore<Replica>();
    const gone = add(store, Sign);
    gone.row[0] = 7;
    gone.setTexts(["gone"]);
    store.remove(gone);
    const next = add(store, Sign);
    next.row[0] = 3;
    expect([gone.row[0], gone.texts, next.row[0], next.texts]).toEqual([7, ["gone"], 3, [""]]);
    // Removing the first entity again must not remove a later one with the same id.
    const twin = add(store, Sign, gone.id);
    store.remove(gone);
    expect([store.holds(gone), store.holds(twin)]).toEqual([false, true]);
  });

  test("adds nothing if the entity cannot be made, and gives its row to the next one", () => {
    const store = new ReplicaStore<Replica>();
    const refused = (): Replica =>
      store.add(Sign, ({ table, row }) => {
        table.stateOf(row)[0] = 9;
        throw new Error("refused");
      });
    expect(refused).toThrow("refused");
    expect(store.size).toBe(0);
    const sign = add(store, Sign);
    expect([sign.place.row, sign.row[0]]).toEqual([0, 2]);
  });

  test("gives ids in ascending order, each once, and throws when none is left", () => {
    const store = new ReplicaStore<Replica>(1);
    const signs = Array.from({ length: 65_535 }, () => add(store, Bar));
    expect([signs[0]!.id, signs.at(-1)!.id, store.isFull]).toEqual([1, 65_535, true]);
    expect(() => store.freeId()).toThrow(ConfigError);
    store.remove(signs[99]!);
    expect([store.isFull, store.freeId()]).toEqual([false, 100]);
  });
});
