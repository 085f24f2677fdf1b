import type { DirectPath, DirectPathOptions } from "./direct-path.js";

export type LoadDirectPath = () => Promise<{ readonly DirectPath: typeof DirectPath }>;

export interface LazyDirectPathOptions extends DirectPathOptions {
  readonly loadDirectPath: LoadDirectPath;
  /**
   * Called when the code has failed to load for a new reason, which {@link LazyDirectPath.lastFailure}
   * contains.
   */
  onLoadFailure(): void;
}

/** Time between attempts to load, ms. Doubles after each failure. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** Limit of signals that are stored while the code loads. An offer and its candidates are about twenty. */
const EARLY_SIGNALS = 64;

/**
 * Direct path to one peer. Loads its code when a direct path is first allowed, or before, so that a game
 * without direct paths never downloads WebRTC. If the load fails, the relay continues and the load is
 * repeated.
 */
export class LazyDirectPath {
  /** Undefined until the code has arrived. */
  path: DirectPath | undefined;
  readonly #options: LazyDirectPathOptions;
  #isAllowed = false;
  #isLoading = false;
  #retryMs = FIRST_RETRY_MS;
  #loadFailure: string | undefined;
  #early: { readonly attempt: number; readonly data: unknown }[] = [];

  constructor(options: LazyDirectPathOptions) {
    this.#options = options;
  }

  /** Reason for the missing direct link; undefined before a failure. */
  get lastFailure(): string | undefined {
    return this.path ? this.path.lastFailure : this.#loadFailure;
  }

  /** Loads the code early: on a line that has become bad the load would take many seconds. */
  prefetch(): void {
    if (!this.path) this.#options.loadDirectPath().catch(() => undefined);
  }

  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed;
    if (!isAllowed) this.#early = [];
    if (this.path) this.path.allow(isAllowed);
    else if (isAllowed) this.#load();
  }

  signal(attempt: number, data: unknown): void {
    if (this.path) this.path.signal(attempt, data);
    else if (this.#isAllowed) this.#keep(attempt, data);
  }

  end(reason: string): void {
    this.allow(false);
    this.path?.end(reason);
  }

  #keep(attempt: number, data: unknown): void {
    // The peer has started another attempt, so its earlier signals are stale.
    if (this.#early[0]?.attempt !== attempt) this.#early = [];
    if (this.#early.length < EARLY_SIGNALS) this.#early.push({ attempt, data });
  }

  #load(): void {
    if (this.#isLoading || !this.#isAllowed) return;
    this.#isLoading = true;
    this.#options.loadDirectPath().then(
      ({ DirectPath }) => this.#loaded(new DirectPath(this.#options)),
      (error: unknown) => this.#failed(error),
    );
  }

  #loaded(path: DirectPath): void {
    this.path = path;
    path.allow(this.#isAllowed);
    for (const { attempt, data } of this.#early.splice(0)) path.signal(attempt, data);
  }

  #failed(error: unknown): void {
    const failure = `the code for it did not load: ${String(error)}`;
    const isNews = failure !== this.#loadFailure;
    this.#loadFailure = failure;
    this.#options.scheduler.after(this.#retryMs, () => {
      this.#isLoading = false;
      this.#load();
    });
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    if (isNews && this.#isAllowed) this.#options.onLoadFailure();
  }
}
