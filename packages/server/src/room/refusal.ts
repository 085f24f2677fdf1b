/**
 * The meaning of a refusal for the client: `refused` (403, `match/refused`), `unauthorized` (401, `match/unauthorized`: with
 * another token it may work), `unavailable` (503, `match/auth-unavailable`: later it may work).
 */
export type RefusalKind = "refused" | "unauthorized" | "unavailable";

/** `onAuth` and `onJoin` throw it to refuse a player, who gets the message. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(message: string, options: { readonly kind?: RefusalKind; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.kind = options.kind ?? "refused";
  }
}
