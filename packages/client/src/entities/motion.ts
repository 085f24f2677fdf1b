import type * as Netcode from "@paceline/netcode";

/** The code that moves entities between their states. */
export type Motion = Pick<
  typeof Netcode,
  "DEFAULT_CONVERGENCE" | "RemoteBody" | "kinematicsOf" | "noteWritten" | "reckoningModelOf" | "sampleMotion"
>;

let code: Motion | undefined;

/** Returns the code of motion; undefined before {@link takeMotion}: entities with a motion hold until then. */
export function motionCode(): Motion | undefined {
  return code;
}

/** Stores the code of motion once it is loaded. All rooms of the page use it. */
export function takeMotion(motion: Motion): void {
  code = motion;
}
