/** An event of an input, reported at once so that the game can answer the player before the server does. */
export interface ResponseHooks<Input> {
  /** The input counts: show it (a flash, a sound, a pressed button). */
  readonly onTaken?: (input: Input, id: number) => void;
  /** It left. */
  readonly onSent?: (input: Input, id: number) => void;
  /** The server did it; `afterMs` since it was taken. */
  readonly onConfirmed?: (input: Input, id: number, afterMs: number) => void;
  /** The server will not, or it went unanswered: take back what was shown. */
  readonly onRefused?: (input: Input, id: number, reason: string) => void;
  /** A hook threw; the input goes its way all the same. */
  readonly onHookError?: (error: unknown) => void;
}

interface Open<Input> {
  readonly input: Input;
  readonly takenAtMs: number;
  isSent: boolean;
}

/** Inputs that may be unanswered at once: beyond, the oldest counts as refused. */
const CAPACITY = 512;

/** Follows inputs, or commands, from the player's hand to the server's answer. Each hook runs once per input. */
export class ResponseCues<Input> {
  readonly #hooks: ResponseHooks<Input>;
  readonly #timeoutMs: number;
  readonly #open = new Map<number, Open<Input>>();

  /** @param timeoutMs an input that is unanswered for longer is refused with the reason `timeout` */
  constructor(hooks: ResponseHooks<Input>, timeoutMs = 2000) {
    this.#hooks = hooks;
    this.#timeoutMs = timeoutMs;
  }

  /** Inputs without an answer. */
  get openCount(): number {
    return this.#open.size;
  }

  taken(id: number, input: Input, nowMs: number): void {
    if (this.#open.has(id)) return;
    const [oldest] = this.#open.keys();
    if (this.#open.size >= CAPACITY && oldest !== undefined) this.refused(oldest, "too many unanswered");
    this.#open.set(id, { input, takenAtMs: nowMs, isSent: false });
    this.#run(() => this.#hooks.onTaken?.(input, id));
  }

  sent(id: number): void {
    const open = this.#open.get(id);
    if (!open || open.isSent) return;
    open.isSent = true;
    this.#run(() => this.#hooks.onSent?.(open.input, id));
  }

  confirmed(id: number, nowMs: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#run(() => this.#hooks.onConfirmed?.(open.input, id, nowMs - open.takenAtMs));
  }

  /** All inputs up to this id (a tick, for inputs of ticks) are done. */
  confirmedUpTo(id: number, nowMs: number): void {
    for (const open of this.#open.keys()) if (open <= id) this.confirmed(open, nowMs);
  }

  refused(id: number, reason: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#run(() => this.#hooks.onRefused?.(open.input, id, reason));
  }

  /** Refuses what went unanswered for too long; call now and then. */
  update(nowMs: number): void {
    for (const [id, { takenAtMs }] of this.#open) {
      if (nowMs - takenAtMs > this.#timeoutMs) this.refused(id, "timeout");
    }
  }

  #run(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.#hooks.onHookError?.(error);
    }
  }
}
