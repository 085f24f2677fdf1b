import { favours, genres, planFor, profileOf, topologies, type Circumstances } from "@paceline/transport";
import { expect, test } from "vitest";
import { outputsSeenElsewhere, planOutputs } from "./plan-outputs.js";

/** Returns the values of a plan by path. Circumstances and reasons are not outputs. */
function leavesOf(value: unknown, path: string[] = []): [path: string, value: string][] {
  const isBranch = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isBranch) return [[path.join("."), JSON.stringify(value === Infinity ? "Infinity" : value)]];
  return Object.entries(value)
    .filter(([name]) => !["circumstances", "inputs", "reasons"].includes(name))
    .flatMap(([name, leaf]) => leavesOf(leaf, [...path, name]));
}

const both = [true, false];

/** Returns the circumstances of every kind of room, on a good network and on a bad one. */
function everyCircumstance(): Circumstances[] {
  return genres.flatMap((genre) =>
    topologies.flatMap((topology) =>
      favours.flatMap((favour) =>
        both.flatMap((webrtc) =>
          both.map((isBad) => circumstances({ genre, topology, favour }, webrtc, isBad)),
        ),
      ),
    ),
  );
}

function circumstances(
  game: Pick<Circumstances, "genre" | "topology" | "favour">,
  webrtc: boolean,
  isBad: boolean,
): Circumstances {
  const measured = { lossRatio: 0.2, rttMs: 300, jitterMs: 40, stallRatio: 0.3 };
  return {
    ...game,
    movement: profileOf(game.genre).movement,
    exposeAddress: true,
    security: isBad ? "https" : "http",
    available: { webrtc },
    server: { webrtc },
    device: { battery: isBad ? "low" : "ok", network: isBad ? "mobile" : "fixed" },
    peers: isBad ? 3 : 1,
    ...(isBad && { measured }),
  };
}

test("a probe covers every output of the plan", () => {
  const values = new Map<string, Set<string>>();
  for (const around of everyCircumstance())
    for (const [path, value] of leavesOf(planFor(around)))
      values.set(path, (values.get(path) ?? new Set()).add(value));
  const outputs = [...values].filter(([, seen]) => seen.size > 1).map(([path]) => path);
  expect(outputs.toSorted()).toEqual([...Object.keys(planOutputs), ...outputsSeenElsewhere].toSorted());
});
