import type { EntityDefinition } from "@paceline/protocol";
import { isInterpolated, type InterpolationDelay, type MotionFault, type ShownBody } from "@paceline/netcode";
import type { Interpolation, ViewPolicy } from "../policy/view-policy.js";
import { motionCode, newReckonerOf } from "./motion.js";

/** The interpolation code, once it has been fetched. */
let code: Interpolation | undefined;

/**
 * Shows the entities of one source, by dead reckoning or by interpolation. All interpolated ones share one
 * delay.
 */
export class ShownBodies {
  /** Undefined without interpolated entities. */
  delay: InterpolationDelay | undefined;
  readonly #view: ViewPolicy;
  readonly #onFetched: () => void;
  #renderSeconds = -Infinity;

  constructor(view: ViewPolicy, onFetched: () => void) {
    this.#view = view;
    this.#onFetched = onFetched;
  }

  /**
   * Returns the source's time that interpolated entities show when it is `nowSeconds` there. If that goes back
   * by more than a second, it follows; if by less, it waits.
   */
  renderSeconds(nowSeconds: number): number {
    const seconds = nowSeconds - this.#view.lagMs / 1000;
    const isAnew = seconds < this.#renderSeconds - 1;
    this.#renderSeconds = isAnew ? seconds : Math.max(seconds, this.#renderSeconds);
    return this.#renderSeconds;
  }

  interpolates(definition: EntityDefinition): boolean {
    return isInterpolated(definition, this.#view.isInterpolated);
  }

  /**
   * Returns how to show a new entity. Dead reckoning shows it until the interpolation code has arrived.
   * Without a motion, or before its code is loaded, there is no body: states are shown as received.
   */
  show(
    definition: EntityDefinition,
    onFault: (fault: MotionFault) => void,
  ): { readonly body: ShownBody | undefined; readonly isInterpolated: boolean } {
    const { motionLayout: layout, components } = definition;
    if (!layout) return { body: undefined, isInterpolated: false };
    const view = this.#view;
    const isWanted = this.interpolates(definition);
    const interpolation = isWanted ? code : undefined;
    if (isWanted && !code) this.#fetch();
    const motion = motionCode(definition.motion);
    const { DEFAULT_CONVERGENCE: convergence } = interpolation ?? motion ?? {};
    if (!convergence) return { body: undefined, isInterpolated: false };
    const options = {
      layout,
      convergence,
      get extrapolationLimitMs() {
        return view.extrapolationLimitMs;
      },
    };
    if (interpolation) {
      const { DelayedBody, InterpolationDelay } = interpolation;
      const delay = (this.delay ??= new InterpolationDelay(view.interpolationDelayMs));
      const renderSeconds = this.renderSeconds.bind(this);
      const times = { delay, renderSeconds, intervalMs: () => view.intervalMs };
      const body = new DelayedBody(Object.assign(options, times), components.length);
      return { body, isInterpolated: true };
    }
    const { RemoteBody } = motion!;
    const reckoning = { reckoner: newReckonerOf(definition), onFault };
    const body = new RemoteBody(Object.assign(options, reckoning), components.length);
    return { body, isInterpolated: false };
  }

  /** Fetches the interpolation code. If that fails, dead reckoning goes on, and the next entity tries again. */
  #fetch(): void {
    this.#view.loadInterpolation().then(
      (interpolation) => {
        code = interpolation;
        this.#onFetched();
      },
      () => undefined,
    );
  }
}
