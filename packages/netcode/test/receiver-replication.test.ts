import { ReceiverReplication, lostAfterMsOf, sendDecisionOf, type ReplicatedEntity } from "@paceline/netcode";
import type { EntityDefinition } from "@paceline/protocol";
import { expect, test } from "vitest";
import { Sign } from "./definitions.js";
import { TICK_SECONDS, policy } from "./racing-policy.js";

const generous = { ...policy, bytesPerSecond: 1e6, lostAfterMs: Number.POSITIVE_INFINITY };

function signs(count: number): ReplicatedEntity[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    definition: Sign as unknown as EntityDefinition,
    state: new Float32Array(Sign.components.length),
    texts: [],
  }));
}

const at = (tick: number) => ({ tick, nowMs: tick * TICK_SECONDS * 1000 });

test("a state that is not acknowledged in time is lost, and its entity due again", () => {
  const replication = new ReceiverReplication({ tickSeconds: TICK_SECONDS, decisionOf: sendDecisionOf });
  const [sign] = signs(1) as [ReplicatedEntity];
  const lossy = { ...generous, lostAfterMs: lostAfterMsOf(40) };
  expect(replication.due([sign], at(0), lossy)).toEqual([sign]);
  replication.sent(sign, sign.state, at(0), 7);
  expect(replication.due([sign], at(7), lossy)).toEqual([]);
  expect(replication.due([sign], at(8), lossy)).toEqual([sign]);
  replication.sent(sign, sign.state, at(8), 8);
  replication.acknowledged(8);
  replication.acknowledged(9);
  expect(replication.due([sign], at(30), lossy)).toEqual([]);
  replication.force();
  expect(replication.due([sign], at(31), lossy)).toEqual([sign]);
});

test("within a budget every entity is sent at times", () => {
  const replication = new ReceiverReplication({ tickSeconds: TICK_SECONDS, decisionOf: sendDecisionOf });
  const all = signs(200);
  const counts = new Map<number, number>();
  let bytes = 0;
  for (let tick = 0; tick < 1200; tick++) {
    for (const { state } of all) state[0] = tick % 900;
    for (const sign of replication.due(all, at(tick), { ...generous, bytesPerSecond: 5000 })) {
      replication.sent(sign, sign.state, at(tick));
      replication.spent(10, 1);
      bytes += 10;
      counts.set(sign.id, (counts.get(sign.id) ?? 0) + 1);
    }
  }
  expect(bytes).toBeLessThan(5000 * 20 + 2000);
  expect(counts.size).toBe(200);
  expect(Math.min(...counts.values())).toBeGreaterThan(20);
});
