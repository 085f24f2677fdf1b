import {
  ConfigError,
  assertFunction,
  assertObject,
  checkKeys,
  type EntityDefinition,
} from "@paceline/protocol";
import {
  assertNimbus,
  interestPlan,
  type EntityInterest,
  type InterestOptions,
} from "@paceline/netcode/interest";
import { Ground, type GroundAxes } from "./ground.js";

/** How the entities of one kind matter. */
export interface KindInterest extends EntityInterest {
  readonly definition: EntityDefinition;
}

/**
 * The entities that concern a player: those near its viewpoint. The player gets no byte of the others. One of
 * `radiusM` and `rings` is enough: `readonly interest = { radiusM: 80 }`.
 */
export interface RoomInterest<P = never, E = never> extends Pick<
  InterestOptions,
  "radiusM" | "rings" | "cellM" | "maxEntities" | "world" | "cellVisible" | "scheme"
> {
  /**
   * The axes of a position that make the ground. Default: x and y of positions with two components, x and z of those
   * with three.
   */
  readonly ground?: GroundAxes;
  /** Kinds that concern everybody (`always`), or that matter more or less than others in a crowd (`weight`). */
  readonly kinds?: readonly KindInterest[];
  /**
   * The exact rule: false hides the entity from the player. Players of a room with such a rule share no encoding. It is
   * not asked about the player's own entities and those that it watches. If it throws, the entity is hidden.
   */
  readonly relevant?: ((player: P, entity: E) => boolean) | undefined;
}

const names: readonly (keyof RoomInterest)[] = [
  "radiusM",
  "rings",
  "cellM",
  "maxEntities",
  "world",
  "cellVisible",
  "scheme",
  "ground",
  "kinds",
  "relevant",
];

/**
 * Throws {@link ConfigError} naming field, value, range and unit.
 *
 * @param definitions the room's kinds
 */
export function assertRoomInterest(interest: RoomInterest, definitions: readonly EntityDefinition[]): void {
  assertObject("interest", interest);
  checkKeys("interest", interest, names);
  const { ground, kinds = [], relevant, ...general } = interest;
  if (relevant !== undefined) assertFunction("interest.relevant", relevant);
  if (ground !== undefined && ground !== "xy" && ground !== "xz")
    throw new ConfigError("interest.ground", ground, '"xy" or "xz"');
  interestPlan(general, new Ground(definitions, ground).world);
  if (!Array.isArray(kinds)) throw new ConfigError("interest.kinds", kinds, "a list of kinds");
  for (const [index, kind] of kinds.entries())
    assertKind(`interest.kinds[${index}]`, kind as KindInterest, definitions, general.scheme);
}

function assertKind(
  at: string,
  kind: KindInterest,
  definitions: readonly EntityDefinition[],
  scheme: RoomInterest["scheme"],
): void {
  assertObject(at, kind);
  checkKeys(at, kind, ["definition", "always", "weight", "nimbusM"]);
  const { definition, always, weight = 1, nimbusM } = kind;
  if (!definitions.includes(definition))
    throw new ConfigError(
      `${at}.definition`,
      (definition as EntityDefinition | undefined)?.name,
      "one of the room's entities",
    );
  if (always !== undefined && typeof always !== "boolean")
    throw new ConfigError(`${at}.always`, always, "true or false");
  if (!(weight > 0 && weight <= 1000)) throw new ConfigError(`${at}.weight`, weight, "above 0, up to 1000");
  if (nimbusM !== undefined) assertNimbus(`${at}.nimbusM`, nimbusM, scheme);
}
