import type { Page, PageEvent } from "@paceline/client";
import type { Tab, TabLocks, TabStorage } from "../src/browser/tab.js";

export class TestPage implements Page {
  isHidden = false;
  readonly tab: Tab;
  readonly #listeners = new Set<(event: PageEvent) => void>();

  constructor(tab: Partial<Tab> = {}) {
    this.tab = { storage: undefined, locks: undefined, ...tab };
  }

  onEvent(listener: (event: PageEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: PageEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** The locks of an origin, by name. `freed` resolves when the holder releases the lock. */
type Held = Map<string, { readonly free: () => void; readonly freed: Promise<void> }>;

class PageLocks implements TabLocks {
  readonly #held: Held;
  readonly #mine = new Set<() => void>();

  constructor(held: Held) {
    this.#held = held;
  }

  async request(
    name: string,
    { signal }: { readonly signal: AbortSignal },
    hold: () => Promise<void>,
  ): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as DOMException));
    });
    aborted.catch(() => undefined);
    for (let holder = this.#held.get(name); holder; holder = this.#held.get(name)) {
      await Promise.race([holder.freed, aborted]);
    }
    let free = (): void => undefined;
    const freed = new Promise<void>((resolve) => (free = resolve));
    this.#held.set(name, { free, freed });
    this.#mine.add(free);
    void freed.then(() => this.#held.delete(name));
    void hold().then(free);
    await freed;
  }

  end(): void {
    for (const free of this.#mine) free();
  }
}

/** A tab of a browser. It holds one page at a time. Duplicates of the tab share its locks. */
export class TestTab {
  readonly storage: TabStorage;
  readonly #entries: Map<string, string>;
  readonly #held: Held | undefined;
  #page: { readonly page: TestPage; readonly locks: PageLocks | undefined } | undefined;

  private constructor(held: Held | undefined, entries: Map<string, string>) {
    this.#held = held;
    this.#entries = entries;
    this.storage = {
      getItem: (key) => entries.get(key) ?? null,
      setItem: (key, value) => entries.set(key, value),
    };
  }

  /** @param options without `hasLocks`, pages have no locks, as in an insecure context */
  static open({ hasLocks = true } = {}): TestTab {
    return new TestTab(hasLocks ? new Map() : undefined, new Map());
  }

  /** The page that is loaded. */
  get page(): TestPage | undefined {
    return this.#page?.page;
  }

  /** Loads a page in place of the previous one. */
  load(): TestPage {
    this.close();
    const locks = this.#held && new PageLocks(this.#held);
    const page = new TestPage({ storage: this.storage, locks });
    this.#page = { page, locks };
    return page;
  }

  close(): void {
    this.#page?.page.tell("unload");
    this.#page?.locks?.end();
    this.#page = undefined;
  }

  duplicate(): TestTab {
    return new TestTab(this.#held, new Map(this.#entries));
  }
}
