import type { Circuit } from "../track/circuit.js";
import { buildRacingLine, type RacingLine } from "../track/racing-line.js";
import { buildSpeedProfile } from "../track/speed-profile.js";
import { carParameters } from "../car/car-parameters.js";

/** How one computer driver differs from another. */
export interface Skill {
  /** Share of the possible cornering speed that the driver uses, about 0.7 to 0.95. */
  readonly pace: number;
  /**
   * Preferred offset from the ideal line, m to the right; different values keep drivers off one single line.
   */
  readonly lineOffsetM: number;
  /** Time between green light and throttle, s. */
  readonly reactionS: number;
}

/** From the fastest to the slowest. From the fifth driver on they repeat, slightly slower each round. */
const skills: readonly Skill[] = [
  { pace: 0.855, lineOffsetM: 0.3, reactionS: 0.18 },
  { pace: 0.83, lineOffsetM: -0.6, reactionS: 0.3 },
  { pace: 0.805, lineOffsetM: 0.9, reactionS: 0.24 },
  { pace: 0.78, lineOffsetM: -0.2, reactionS: 0.42 },
];

export function skillOf(index: number): Skill {
  const skill = skills[index % skills.length] as Skill;
  const slower = Math.floor(index / skills.length) * 0.03;
  return { ...skill, pace: skill.pace - slower };
}

/** The racing line, and the speeds along it for one skill. */
export interface RacePlan {
  readonly line: RacingLine;
  readonly speedMps: Float64Array;
}

export function planRace(circuit: Circuit, skill: Skill): RacePlan {
  const line = buildRacingLine(circuit.track);
  const grip = carParameters.grip * 9.81;
  const speedMps = buildSpeedProfile(circuit.track, line, {
    sidewaysMps2: grip * 0.94 * skill.pace * skill.pace,
    brakingMps2: carParameters.brakeMps2 * 0.74 * skill.pace,
    topMps: 60,
  });
  return { line, speedMps };
}
