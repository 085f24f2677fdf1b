import type { EntityDefinition, MotionLayout } from "@paceline/protocol";
import {
  DEFAULT_CONVERGENCE,
  RemoteBody,
  isInterpolated,
  reckoningModelOf,
  type InterpolationDelay,
  type MotionFault,
  type ShownBody,
} from "@paceline/netcode";
import { fetchInterpolation, fetchedInterpolation } from "./lazy-interpolation.js";
import type { Interpolation, ViewPlan } from "../plan/view-plan.js";

/** The way in which an entity of others is shown. */
export interface Showing {
  /** Undefined for what holds: such an entity is shown as it came. */
  readonly body: ShownBody | undefined;
  readonly isInterpolated: boolean;
}

export interface ShownBodiesOptions {
  /** As the plan says it at the moment. */
  readonly view: ViewPlan;
  /** The interpolation code has arrived: waiting entities can use it. */
  onFetched(): void;
}

/** Shows entities of one source, by dead reckoning or by interpolation with one delay for all of them. */
export class ShownBodies {
  readonly #options: ShownBodiesOptions;
  #delay: InterpolationDelay | undefined;

  constructor(options: ShownBodiesOptions) {
    this.#options = options;
  }

  /** The interpolation delay that makes states arrive in time, ms; undefined without interpolated entities. */
  get neededDelayMs(): number | undefined {
    return this.#delay?.delayMs;
  }

  /** Whether entities of the definition are to be shown between their states. */
  interpolates(definition: EntityDefinition): boolean {
    return isInterpolated(definition, this.#options.view.isInterpolated);
  }

  /** Until what interpolates is there, dead reckoning shows. */
  show(definition: EntityDefinition, onFault: (fault: MotionFault) => void): Showing {
    const { motionLayout: layout, components } = definition;
    if (!layout) return { body: undefined, isInterpolated: false };
    const isWanted = this.interpolates(definition);
    const parts = isWanted ? fetchedInterpolation() : undefined;
    if (isWanted && !parts)
      fetchInterpolation(this.#options.view.loadInterpolation, () => this.#options.onFetched());
    const body = parts
      ? this.#newDelayed(parts, layout, components.length)
      : this.#newReckoned(definition, layout, onFault);
    return { body, isInterpolated: parts !== undefined };
  }

  /** Nothing is shown between its states any more. */
  endDelay(): void {
    this.#delay = undefined;
  }

  #newReckoned(
    definition: EntityDefinition,
    layout: MotionLayout,
    onFault: (fault: MotionFault) => void,
  ): RemoteBody {
    const { view } = this.#options;
    const options = {
      layout,
      model: reckoningModelOf(definition),
      convergence: DEFAULT_CONVERGENCE,
      get extrapolationLimitMs() {
        return view.extrapolationLimitMs;
      },
      onFault,
    };
    return new RemoteBody(options, definition.components.length);
  }

  #newDelayed(parts: Interpolation, layout: MotionLayout, width: number): ShownBody {
    const { view } = this.#options;
    this.#delay ??= new parts.InterpolationDelay({
      ...parts.DEFAULT_INTERPOLATION_DELAY,
      startMs: view.interpolationDelayMs,
    });
    const options = {
      layout,
      convergence: DEFAULT_CONVERGENCE,
      get extrapolationLimitMs() {
        return view.extrapolationLimitMs;
      },
      delay: this.#delay,
      lagSeconds: () => view.lagMs / 1000,
      intervalMs: () => view.intervalMs,
    };
    return new parts.DelayedBody(options, width);
  }
}
