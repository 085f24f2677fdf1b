import type { hostOf, newCollections } from "./collections.js";
import type { CollectionReader } from "./collection-reader.js";
import type { CollectionSender } from "./collection-sender.js";

/** The code of lists and maps. A game without any does not download it. */
export interface CollectionCode {
  readonly newCollections: typeof newCollections;
  readonly hostOf: typeof hostOf;
  readonly CollectionReader: typeof CollectionReader;
  readonly CollectionSender: typeof CollectionSender;
}

let inUse: CollectionCode | undefined;

/** Notes that the game declares lists or maps. */
export function useCollections(code: CollectionCode): void {
  inUse = code;
}

/** Returns the code of lists and maps. Undefined as long as no definition has any. */
export function collectionCode(): CollectionCode | undefined {
  return inUse;
}
