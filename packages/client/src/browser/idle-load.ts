/** Seconds after which a room that shows no state of others loads the code. */
const WITHOUT_STATES_S = 10;
const RETRY_S = 60;
/** A page that is never idle loads the code after this time, ms. */
const IDLE_WITHIN_MS = 5000;

/** Loads code that a room can do without, when its first state is there and the page is idle. */
export class IdleLoad {
  readonly #load: () => Promise<void>;
  #ageS = 0;
  /** Age of the room at which the code may be loaded. Infinity from then on, until the load fails. */
  #notBeforeS = 0;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  /**
   * Call it once a second.
   * @param showsOthers returns true if the room shows a state of another participant or of its authority
   */
  sample(showsOthers: () => boolean): void {
    this.#ageS += 1;
    if (this.#ageS < this.#notBeforeS) return;
    if (this.#ageS < WITHOUT_STATES_S && !showsOthers()) return;
    this.#notBeforeS = Infinity;
    whenIdle(() => {
      this.#load().catch(() => (this.#notBeforeS = this.#ageS + RETRY_S));
    });
  }
}

function whenIdle(task: () => void): void {
  // Safari and Node have no idle callbacks.
  if (typeof globalThis.requestIdleCallback === "function") {
    globalThis.requestIdleCallback(task, { timeout: IDLE_WITHIN_MS });
  } else task();
}
