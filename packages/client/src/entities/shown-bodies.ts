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

/** How an entity of another participant is shown. */
export interface Showing {
  /** Undefined for entities without a motion: their states are shown as received. */
  readonly body: ShownBody | undefined;
  readonly isInterpolated: boolean;
}

export interface ShownBodiesOptions {
  readonly view: ViewPlan;
  onFetched(): void;
}

/**
 * Shows the entities of one source, by dead reckoning or by interpolation. All interpolated ones share one
 * delay.
 */
export class ShownBodies {
  readonly #options: ShownBodiesOptions;
  #delay: InterpolationDelay | undefined;

  constructor(options: ShownBodiesOptions) {
    this.#options = options;
  }

  /** Interpolation delay with which states arrive in time, ms; undefined without interpolated entities. */
  get neededDelayMs(): number | undefined {
    return this.#delay?.delayMs;
  }

  interpolates(definition: EntityDefinition): boolean {
    return isInterpolated(definition, this.#options.view.isInterpolated);
  }

  /** Returns how to show a new entity. Dead reckoning shows it until the interpolation code has arrived. */
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

  /** Drops the delay. Call it when no entity is interpolated any more. */
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
