import { isFiniteRow, type Components } from "../body/body-layout.js";
import type { TickInput } from "./input-buffer.js";
import { InputPace } from "./input-pace.js";
import { PredictedBody, type Correction, type PredictedBodyOptions } from "./predicted-body.js";

/** The game's physics, and where its inputs go. */
export interface PlayerPredictionOptions<Input> extends PredictedBodyOptions<Input> {
  /** Sends the newest inputs to the server, oldest first; may be lost, since the next call repeats them. */
  send(inputs: readonly TickInput<Input>[]): void;
}

/** The server's state of a player's entity: {@link PlayerAuthority.advance} makes it. */
export interface AuthorityUpdate {
  /** The last tick that the state has the input of. */
  readonly tick: number;
  readonly state: Components;
  /** Ticks that the player should be further ahead of the server. */
  readonly leadErrorTicks: number;
}

/** After a pause (a hidden page, a machine that slept) no more than this is simulated at once. */
const MAX_TICKS_AT_ONCE = 15;

/**
 * The player's side of an entity under a server's authority: simulates its input at once, sends it, takes the server's
 * word when it comes, and runs a little faster or slower as the server asks. Knows nothing of bytes: `send` and
 * {@link receive} are the wire. Times are s of one local clock.
 *
 * ```
 * each frame:      prediction.update(now, () => readKeys()); prediction.show(now, row);
 * from the server: prediction.receive(update, now);
 * ```
 */
export class PlayerPrediction<Input> {
  readonly #options: PlayerPredictionOptions<Input>;
  #body: PredictedBody<Input>;
  readonly #pace: InputPace;
  #nextTickSeconds: number | undefined;
  /** Lead of the simulation over the server's state when all was well, ticks. */
  #leadTicks = 0;

  /** @param state the server's first state of the entity, of `tick`; copied */
  constructor(options: PlayerPredictionOptions<Input>, state: Components, tick: number) {
    this.#options = options;
    this.#body = new PredictedBody(options, state, tick);
    this.#pace = new InputPace(options.tickSeconds);
  }

  /** The tick that is simulated up to. */
  get tick(): number {
    return this.#body.tick;
  }

  /** The predicted state; read, do not write. */
  get state(): Components {
    return this.#body.state;
  }

  /** Simulates the ticks that are due, each with the input that `read` gives, and sends their inputs. */
  update(nowSeconds: number, read: () => Input): number {
    if (!Number.isFinite(nowSeconds)) return 0;
    this.#nextTickSeconds ??= nowSeconds;
    const { tickSeconds } = this.#options;
    // If the time is set back, the prediction starts again.
    if (this.#nextTickSeconds > nowSeconds + 1) this.#nextTickSeconds = nowSeconds;
    let ticks = 0;
    for (; this.#nextTickSeconds <= nowSeconds && ticks < MAX_TICKS_AT_ONCE; ticks++) {
      this.#body.advance(read());
      this.#nextTickSeconds += this.#pace.nextTickSeconds();
    }
    if (ticks === MAX_TICKS_AT_ONCE) this.#nextTickSeconds = nowSeconds + tickSeconds;
    if (ticks > 0) this.#options.send(this.#body.inputs.toSend());
    return ticks;
  }

  /**
   * The server's word. What it corrected; nothing for one that is older than what is known, or that is ahead of the
   * simulation here: after a long sleep it starts again from the server's state.
   */
  receive({ tick, state, leadErrorTicks }: AuthorityUpdate, nowSeconds: number): Correction | undefined {
    if (!Number.isSafeInteger(tick) || !isFiniteRow(state)) return undefined;
    if (tick > this.#body.tick) {
      this.#body = new PredictedBody(this.#options, state, tick + this.#leadTicks);
      this.#nextTickSeconds = undefined;
      return undefined;
    }
    if (Math.abs(leadErrorTicks) < 2) this.#leadTicks = this.#body.tick - tick;
    this.#pace.hint(leadErrorTicks);
    return this.#body.reconcile(tick, state, nowSeconds);
  }

  /** Writes what to draw: the predicted state, with what is left of the last correction. */
  show(nowSeconds: number, into: Components): void {
    this.#body.show(nowSeconds, into);
  }
}
