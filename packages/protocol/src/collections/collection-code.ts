import type { newConstants, OwnCollections } from "./collections.js";
import type { CollectionReader } from "./collection-reader.js";
import type { CollectionSender } from "./collection-sender.js";

/** The code of lists and maps. A game without any does not download it. */
export interface CollectionCode {
  readonly newConstants: typeof newConstants;
  readonly OwnCollections: typeof OwnCollections;
  readonly CollectionReader: typeof CollectionReader;
  readonly CollectionSender: typeof CollectionSender;
}

/** Holds the code of lists and maps. The first definition with one puts it here. */
export const listCode: { inUse: CollectionCode | undefined } = { inUse: undefined };
