import { ConfigError, assertFunction, assertObject, assertRange, checkKeys } from "@paceline/protocol";
import { larger, type CellIndex } from "./cell-index.js";
import type { InterestFaults } from "./interest-faults.js";
import { ENTER_SHARE, type InterestPlan } from "./interest-options.js";
import { InterestScheme } from "./interest-scheme.js";

/** A way in which a viewer perceives entities, such as sight. */
export interface AuraMedium {
  /** Radius of the viewer's focus, m. Default: the outer radius of the room's interest. */
  readonly radiusM?: number;
  /** Opening angle of the focus, 1 to 360°: less is a cone in the direction of `facing`. Default 360: all around. */
  readonly angleDeg?: number;
}

/** Options of {@link aura}. */
export interface AuraOptions<P = never> {
  /** One to four media by name. A viewer perceives an entity that it perceives in any of them. */
  readonly media: Readonly<Record<string, AuraMedium>>;
  /** Returns where a player looks, radians from x to y of the ground. Asked at each step; needed for a cone. */
  readonly facing?: (viewer: P) => number;
}

/** How far an entity is noticed, m: in all media, or by medium. Where none is named it is noticed at any distance. */
export type Nimbus = number | Readonly<Record<string, number>>;

const MAX_MEDIA = 4;
const MAX_RADIUS_M = 100_000;

/**
 * A viewer perceives an entity if the entity is in the viewer's focus and the viewer is in the entity's nimbus, in any
 * medium: sight ahead, hearing around. It is exact, so each viewer has a list of its own, and no encoding is shared.
 */
export function aura<P = never>({ media, facing, ...rest }: AuraOptions<P>): InterestScheme {
  checkKeys("aura", rest, ["media", "facing"]);
  assertObject("aura.media", media);
  const names = Object.keys(media);
  if (names.length < 1 || names.length > MAX_MEDIA)
    throw new ConfigError("aura.media", names, `1 to ${MAX_MEDIA} media by name`);
  for (const [name, medium] of Object.entries(media)) {
    checkKeys(`aura.media.${name}`, medium, ["radiusM", "angleDeg"]);
    const { radiusM = MAX_RADIUS_M, angleDeg = 360 } = medium;
    assertRange(`aura.media.${name}.radiusM`, radiusM, [1, MAX_RADIUS_M, "m"]);
    assertRange(`aura.media.${name}.angleDeg`, angleDeg, [1, 360, "°"]);
    if (angleDeg < 360 && facing === undefined)
      throw new ConfigError("aura.facing", facing, `a function, for the cone of ${name}`);
  }
  if (facing !== undefined) assertFunction("aura.facing", facing);
  return new InterestScheme("aura", {
    media: names,
    newAwareness: (facts) => new Awareness({ ...facts, media, facing: facing as AwarenessParts["facing"] }),
  });
}

/** Throws {@link ConfigError} unless a nimbus has distances in media of the scheme. */
export function assertNimbus(field: string, nimbusM: Nimbus, scheme: InterestScheme | undefined): void {
  const media = scheme?.parts.media;
  if (!media) throw new ConfigError(field, nimbusM, "none, unless interest.scheme is an aura()");
  if (typeof nimbusM === "number") return assertRange(field, nimbusM, [0, MAX_RADIUS_M, "m"]);
  checkKeys(field, nimbusM, media);
  for (const [name, radiusM] of Object.entries(nimbusM))
    assertRange(`${field}.${name}`, radiusM, [0, MAX_RADIUS_M, "m"]);
}

/** Facts that a room gives to the rule of a scheme. */
export interface AwarenessFacts {
  readonly plan: InterestPlan;
  readonly index: CellIndex;
  readonly faults: InterestFaults;
  /** Returns the player of a viewer. */
  readonly viewerOf: (id: number) => unknown;
}

interface AwarenessParts extends AwarenessFacts {
  readonly media: AuraOptions["media"];
  readonly facing: ((viewer: unknown) => number) | undefined;
}

/** The foci of a room's viewers and the nimbi of its entities. What is perceived stays until it is a tenth farther. */
export class Awareness {
  readonly #parts: AwarenessParts;
  readonly #media: readonly { readonly radiusM: number; readonly halfAngle: number }[];
  readonly #names: readonly string[];
  /** By medium and id, m. */
  readonly #nimbi: Float32Array[];
  #viewpoint: Float64Array = new Float64Array(2);
  #facing = 0;

  constructor(parts: AwarenessParts) {
    this.#parts = parts;
    this.#names = Object.keys(parts.media);
    this.#nimbi = this.#names.map(() => new Float32Array(0));
    const outerM = parts.plan.radiiM.at(-1)!;
    this.#media = Object.values(parts.media).map(({ radiusM = outerM, angleDeg = 360 }) => {
      return { radiusM: Math.min(radiusM, outerM), halfAngle: (angleDeg / 360) * Math.PI };
    });
  }

  place(id: number, nimbusM: Nimbus = Infinity): void {
    for (const [at, name] of this.#names.entries()) {
      if (id >= this.#nimbi[at]!.length) this.#nimbi[at] = larger(this.#nimbi[at]!, id + 1);
      this.#nimbi[at]![id] = typeof nimbusM === "number" ? nimbusM : (nimbusM[name] ?? Infinity);
    }
  }

  /** Begins with a viewer. One whose direction is not known has no cone. */
  begin({ id, viewpoint }: { readonly id: number; readonly viewpoint: Float64Array }): void {
    const { facing, faults, viewerOf } = this.#parts;
    this.#viewpoint = viewpoint;
    this.#facing = NaN;
    if (!facing) return;
    try {
      const answer = facing(viewerOf(id));
      if (!Number.isFinite(answer)) throw new ConfigError("aura.facing", answer, "a finite number (rad)");
      this.#facing = answer;
    } catch (error) {
      faults.count("rule", undefined, id, error);
    }
  }

  /** @param isPresent true if the viewer has perceived it before */
  perceives(slot: number, isPresent: boolean): boolean {
    const { index } = this.#parts;
    const x = index.x[slot]! - this.#viewpoint[0]!;
    const y = index.y[slot]! - this.#viewpoint[1]!;
    const share = isPresent ? 1 : ENTER_SHARE;
    const distanceM = Math.hypot(x, y);
    for (let at = 0; at < this.#media.length; at++) {
      const { radiusM, halfAngle } = this.#media[at]!;
      if (distanceM > Math.min(radiusM, this.#nimbi[at]![index.ids[slot]!]!) * share) continue;
      if (halfAngle >= Math.PI || distanceM === 0 || this.#angleTo(x, y) <= halfAngle * share) return true;
    }
    return false;
  }

  /** Returns the angle between the viewer's direction and a vector, 0 to pi. */
  #angleTo(x: number, y: number): number {
    const turn = (Math.atan2(y, x) - this.#facing) / (2 * Math.PI);
    return Math.abs(turn - Math.round(turn)) * 2 * Math.PI;
  }
}
