/**
 * The kind of a refusal, for the client: `refused` (403, `match/refused`), `unauthorized` (401,
 * `match/unauthorized`: another token may work), `unavailable` (503, `match/auth-unavailable`: a later
 * attempt may work).
 */
export type RefusalKind = "refused" | "unauthorized" | "unavailable";

/** Error that `onAuth` and `onJoin` throw to refuse a player. The player gets the message. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(message: string, options: { readonly kind?: RefusalKind; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.kind = options.kind ?? "refused";
  }
}
