import type { Entity } from "@paceline/client";
import {
  Room,
  defineEntity,
  defineInput,
  scalar,
  vec2,
  type Player,
  type ServerEntity,
} from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const SPEED_MPS = 10;
const FRAME_MS = 5;
const position = vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" });
const Cart = defineEntity("cart", { position }, { motion: "velocity" });
const Ship = defineEntity("ship", { position }, { motion: "velocity" });
const Score = defineEntity("score", { points: scalar({ range: [0, 100], precision: 1 }) });
const Push = defineInput({ force: scalar({ range: [-1, 1], precision: 0.01 }) });

function push(cart: { position: { x: number } }, { force }: { force: number }, seconds: number): void {
  cart.position.x += force * SPEED_MPS * seconds;
}

/** A room with one cart, which rolls to the right while nobody owns it. */
class CartRoom extends Room {
  override readonly entities = [Cart, Ship, Score];
  override readonly playerEntities = [{ definition: Ship }];
  override readonly inputs = Push;
  cart!: ServerEntity<typeof Cart>;

  override onCreate(): void {
    this.cart = this.spawn(Cart);
  }

  override onTick(seconds: number): void {
    const { owner } = this.cart;
    push(this.cart, owner ? (owner as Player<typeof Push>).input : { force: 1 }, seconds);
  }
}

let stage: RoomStage<CartRoom>;
beforeEach(() => (stage = roomStage(CartRoom)));
afterEach(() => stage.stop());

interface Driver {
  readonly player: StagePlayer;
  readonly input: { force: number };
  readonly prediction: { readonly stats: { readonly states: number; readonly worstCorrectionM: number } };
  /** Cart as this player sees it. */
  readonly cart: Entity<typeof Cart>;
  /** The same player at the server. */
  readonly atServer: Player;
}

async function drivers(profile: "racing" | "shooter"): Promise<Driver[]> {
  const joined: Driver[] = [];
  for (const number of [1, 2]) {
    const player = await stage.join({ network: { delayMs: 100 }, client: { profile } });
    const { room } = player;
    const prediction = room.predict(Cart, Push, push);
    const input = room.input(Push);
    input.force = 1;
    await stage.advance(3000);
    const [cart] = room.entities(Cart);
    joined.push({ player, input, prediction, cart: cart!, atServer: stage.room.players.get(number)! });
  }
  // The code of interpolation is fetched, in real time.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await stage.advance(2000);
  return joined;
}

/** Plays frames for some time. Returns how far each shown cart moved in them. */
async function frames(carts: readonly Driver["cart"][], ms: number): Promise<number[]> {
  const moved: number[] = [];
  const places = (): number[] => carts.map(({ shown }) => shown.position.x);
  for (let passed = 0; passed < ms; passed += FRAME_MS) {
    const before = places();
    await stage.advance(FRAME_MS);
    moved.push(...places().map((x, index) => x - before[index]!));
  }
  return moved;
}

/** Returns the time from a reversal of the input until the shown cart goes back, ms. */
async function reversalMs({ input, cart }: Driver): Promise<number> {
  input.force = -input.force;
  const moved = await frames([cart], 1000);
  return (moved.findIndex((step) => Math.sign(step) === Math.sign(input.force)) + 1) * FRAME_MS;
}

describe.each(["racing", "shooter"] as const)("in a room of the profile %s", (profile) => {
  test("an entity that is given to a player is predicted from then on, and no longer when it is taken away", async () => {
    const [ann, ben] = (await drivers(profile)) as [Driver, Driver];
    const given: { readonly to: Driver | undefined; readonly states: number }[] = [];
    for (const to of [ann, ben, undefined, ann]) {
      const before = to?.prediction.stats.states ?? 0;
      if (to) to.input.force = 1;
      stage.room.give(stage.room.cart, to?.atServer);
      // No frame shows more than 2.5 times the cart's own speed, and none goes back.
      const moved = await frames([ann.cart, ben.cart], 1500);
      expect(Math.max(...moved)).toBeLessThan(2.5 * SPEED_MPS * (FRAME_MS / 1000));
      expect(Math.min(...moved)).toBeGreaterThanOrEqual(0);
      given.push({ to, states: (to?.prediction.stats.states ?? 0) - before });
      expect([ann, ben].map(({ cart }) => cart.isMine)).toEqual([to === ann, to === ben]);
      if (!to) continue;
      expect(await reversalMs(to)).toBeLessThanOrEqual(35);
      expect(await reversalMs(to)).toBeLessThanOrEqual(35);
      // All inputs on their way count from the first predicted tick on: there is nothing to correct.
      expect(to.prediction.stats.worstCorrectionM).toBeLessThan(0.02);
    }
    expect(given.map(({ states }) => states > 2)).toEqual([true, true, false, true]);
  });
});

test("an entity that its player simulates cannot be given away", async () => {
  const player = await stage.join();
  await stage.join();
  player.room.spawn(Ship, {});
  await stage.advance(300);
  const { room } = stage;
  const [ship] = room.entitiesOf(Ship);
  const [ann, ben] = room.players.values();
  room.give(ship!, ann);
  for (const other of [ben, undefined])
    expect(() => room.give(ship!, other)).toThrow(
      "entity: expected an entity that the room simulates (player 1 simulates this ship: despawn it and spawn another one)",
    );
});

test("the only entity of a kind is the one that the server takes, also after a player has owned it", async () => {
  const player = await stage.join();
  const { room } = stage;
  const view = player.room.only(Score);
  const [owner] = room.players.values();
  const score = room.spawn(Score, {}, owner);
  await stage.advance(300);
  expect(view.points).toBe(0);
  room.give(score, undefined);
  const mine = room.only(Score);
  mine.points = 7;
  await stage.advance(300);
  expect(mine).toBe(score);
  expect(view.points).toBe(7);
});
