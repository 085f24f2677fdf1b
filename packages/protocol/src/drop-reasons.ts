/** Reasons for dropping a packet or a message, and keys of the drop counters. */
export const dropReasons = [
  "too-short",
  "too-long",
  "flags",
  "length",
  "unknown-kind",
  "duplicate",
  "outdated",
  "bad-message",
  "unknown-entity",
  "no-baseline",
  "desync",
  "out-of-range",
  "not-routable",
  "rate-limit",
  "queue-full",
  "too-many-states",
  "gap-too-large",
  "credential",
  "not-allowed",
] as const;
export type DropReason = (typeof dropReasons)[number];
