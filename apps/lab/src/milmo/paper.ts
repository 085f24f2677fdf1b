import type { Quadratic } from "./quadratic-fit.js";

/** The ways to send less that the paper combines. */
export interface Combination {
  readonly name: string;
  /** Message optimisation: 17 bytes instead of 26. */
  readonly hasSmallMessages: boolean;
  /** Standing still: who stands sends one message in 10 s instead of three a second. */
  readonly hasStandingStill: boolean;
  /** Partitioning: squares of the ground, and rarer messages to farther ones. */
  readonly hasPartitions: boolean;
}

/** A combination with what the paper measured and fitted. */
export interface PaperRow extends Combination {
  /** Table 10: y = a + b x + c x², in kB (1024 bytes) a second by users, though its label says kb. */
  readonly fit: Quadratic;
  /** Table 13: mean outgoing traffic of 10, 20, 30 and 40 users, kB/s. */
  readonly outgoing: readonly [number, number, number, number];
}

/** Users of the paper's tests. */
export const PAPER_USERS = [10, 20, 30, 40] as const;

/**
 * "Traffic reduction in MilMo", tables 10 and 13. Tests with 100 and 150 users were run and given up: the server was
 * overloaded.
 */
export const paperRows: readonly PaperRow[] = [
  row("reference", "", [0.03489, 0.30055, 0.08036], [11.1331, 38.2327, 81.2691, 140.6891]),
  row("MO", "MO", [0.00288, 0.31552, 0.05406], [8.572, 27.9331, 58.1249, 99.1256]),
  row("SS", "SS", [-0.12644, 0.24462, 0.0426], [6.3867, 21.6283, 45.9859, 77.6363]),
  row("MO+SS", "MO SS", [-0.08681, 0.24061, 0.02928], [5.0987, 16.3638, 33.7331, 56.2768]),
  row("PT", "PT", [-0.02848, 0.27155, 0.00494], [3.1623, 7.2611, 12.7334, 18.6642]),
  row("PT+MO", "PT MO", [-0.03205, 0.25533, 0.00384], [2.8314, 6.6364, 11.1158, 16.2946]),
  row("PT+SS", "PT SS", [0.03918, 0.13083, 0.00358], [1.7858, 4.0823, 7.1145, 11.0393]),
  row("PT+MO+SS", "PT MO SS", [0.04171, 0.10328, 0.00342], [1.5189, 3.417, 6.1908, 9.6649]),
];

/** The paper's reference with 10 users, both directions, kB/s (table 11). */
export const PAPER_TOTAL_10_USERS = 15.0285;

function row(name: string, ways: string, fit: Quadratic, outgoing: PaperRow["outgoing"]): PaperRow {
  return {
    name,
    hasSmallMessages: ways.includes("MO"),
    hasStandingStill: ways.includes("SS"),
    hasPartitions: ways.includes("PT"),
    fit,
    outgoing,
  };
}
