/**
 * What a refusal means to the client: `refused` (403, `match/refused`), `unauthorized` (401, `match/unauthorized`: with
 * another token it may work), `unavailable` (503, `match/auth-unavailable`: later it may work).
 */
export type RefusalKind = "refused" | "unauthorized" | "unavailable";

/** Thrown by `onAuth` or `onJoin` to keep somebody out: the message is told to the player. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(message: string, options: { readonly kind?: RefusalKind; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.kind = options.kind ?? "refused";
  }
}
