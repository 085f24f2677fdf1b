/** Storage that outlives the pages of a tab, such as `sessionStorage`. Every method may throw: a page may be denied storage. */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** Locks that only one page of an origin may hold at a time; `navigator.locks` gives them. */
export interface TabLocks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    hold: () => Promise<void>,
  ): Promise<unknown>;
}

/** The browser's tab around a page. */
export interface Tab {
  readonly storage: TabStorage | undefined;
  /** Browsers give them to secure origins alone. */
  readonly locks: TabLocks | undefined;
}

/** The tab around this page. */
export function browserTab(): Tab {
  const { locks } = navigator as { readonly locks?: TabLocks };
  try {
    return { storage: sessionStorage, locks };
  } catch {
    return { storage: undefined, locks };
  }
}
