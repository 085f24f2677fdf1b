import type { EntityDefinition, MotionModel } from "@paceline/protocol";
import type * as Netcode from "@paceline/netcode";
import type { DoorTo } from "../browser/door.js";

/** The code that moves entities between their states. */
export type Motion = Pick<
  typeof Netcode,
  "DEFAULT_CONVERGENCE" | "RemoteBody" | "kinematicsOf" | "noteWritten" | "sampleMotion" | "worldReckonerOf"
>;

/** The models of motion that are not in world axes. */
type Reckoners = Pick<typeof Netcode, "reckonerOf">;

/** Doors to the code of motion. */
export interface MotionDoors {
  readonly motion: DoorTo<Motion>;
  readonly reckoners: DoorTo<Reckoners>;
}

const WITH_RECKONERS: readonly MotionModel[] = ["turn", "history", "step"];

let code: Motion | undefined;
let reckoners: Reckoners | undefined;

/**
 * Returns the code of motion, which moves entities of this model too if one is named. Undefined before that is loaded:
 * entities with a motion hold until then.
 */
export function motionCode(model?: MotionModel): Motion | undefined {
  return model && !reckoners && WITH_RECKONERS.includes(model) ? undefined : code;
}

/** Creates the reckoner of an entity; {@link motionCode} of its model is there. */
export function newReckonerOf(definition: EntityDefinition): Netcode.Reckoner {
  return code?.worldReckonerOf(definition) ?? reckoners!.reckonerOf(definition);
}

/** Loads the code that moves entities of these models. All rooms of the page use it. */
export async function loadMotion(
  doors: MotionDoors,
  models: readonly MotionModel[],
  open = <Code extends object>(door: DoorTo<Code>): Promise<Code> => door.open(),
): Promise<void> {
  if (models.length === 0) return;
  const isWanted = models.some((model) => WITH_RECKONERS.includes(model));
  const [motion, others] = await Promise.all([
    open(doors.motion),
    isWanted ? open(doors.reckoners) : Promise.resolve(reckoners),
  ]);
  code = motion;
  reckoners ??= others;
}
