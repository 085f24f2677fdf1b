import { Room, defineEntity, uint, type PlayerEntities } from "@paceline/server";
import { limits, planState, writeWholeState } from "@paceline/protocol";
import { roomStage } from "@paceline/testkit/room";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FloodStates, statePacket } from "../../client/test/flood-states.js";
import { MotionCheck } from "../src/players/plausibility.js";
import { RawPlayer } from "./raw-player.js";

const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }) });
/** The limits are so many times smaller here, because thousands of entities take their time. */
const SCALE = 8;
const LIGHTS = 250;
const TICK_HZ = 20;

const { statesPerSecond, statesBurst } = limits;
beforeAll(() => {
  Object.assign(limits, { statesPerSecond: statesPerSecond / SCALE, statesBurst: statesBurst / SCALE });
});
afterAll(() => void Object.assign(limits, { statesPerSecond, statesBurst }));

class LightRoom extends Room {
  override readonly tickHz = TICK_HZ;
  override readonly entities = [Light];
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Light, most: LIGHTS }];
}

test("a room reads so many states of a player's own entities in a second, and counts the others", async () => {
  const stage = roomStage(LightRoom);
  const player = await RawPlayer.join(stage);
  const plan = planState(Light, { tickHz: 60, hasRates: true });
  const { name, schemaHash } = Light;
  for (let first = 0; first < LIGHTS; first += 50) {
    const own = Array.from({ length: 50 }, (_, index) => {
      const state = writeWholeState(plan, first + index, new Float32Array(Light.components.length));
      return { type: "own", localId: first + index, name, schemaHash, state, tickHz: 60 } as const;
    });
    player.tell(...own);
    await stage.advance(100);
  }
  const checks = vi.spyOn(MotionCheck.prototype, "breach");
  const flood = new FloodStates(Light, LIGHTS, 1000);
  const seconds = 2;
  for (const [index, { tick, body }] of flood.bodies(60 * seconds).entries()) {
    player.session.activeLink!.send("state", statePacket(40_000 + index, tick, body, false));
    await stage.advance(1000 / 60);
  }
  await stage.advance(100);
  const inWorld = limits.newEntityStates * LIGHTS;
  const { drops } = stage.server.health();
  expect(drops["too-many-states"]).toBeGreaterThan(0);
  expect(checks.mock.calls.length).toBeGreaterThan(limits.statesBurst - inWorld);
  expect(checks.mock.calls.length).toBeLessThanOrEqual(
    limits.statesBurst + limits.statesPerSecond * (seconds + 0.3) - inWorld,
  );
  expect(player.close).toBeUndefined();
  checks.mockRestore();
  await stage.stop();
});
