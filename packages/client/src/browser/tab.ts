/**
 * Storage that outlives the pages of a tab, such as `sessionStorage`. Every method may throw if the page has
 * no access to storage.
 */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** Locks that only one page of an origin can hold at a time, such as `navigator.locks`. */
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
  /** Undefined on insecure origins, for which browsers have no locks. */
  readonly locks: TabLocks | undefined;
}

export function browserTab(): Tab {
  const { locks } = navigator as { readonly locks?: TabLocks };
  try {
    return { storage: sessionStorage, locks };
  } catch {
    return { storage: undefined, locks };
  }
}
