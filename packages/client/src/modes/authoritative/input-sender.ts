import {
  roundInput,
  writeInputs,
  type Fields,
  type InputDefinition,
  type InputFeedback,
} from "@paceline/protocol";
import {
  EntityTable,
  InputBuffer,
  InputPace,
  newFields,
  type Clamp,
  type Place,
  type WritableFields,
} from "@paceline/netcode";
import type { Cancel } from "@paceline/transport";
import { afterPause } from "../../time/game-loop.js";
import { MAX_BEHIND_MS } from "../../time/game-time.js";
import type { RoomParts } from "../room-mode.js";

export interface InputSenderOptions {
  readonly parts: Pick<RoomParts, "scheduler" | "listeners" | "loop">;
  readonly definition: InputDefinition;
  /** That of the session before: the game goes on to write the same object. */
  readonly previous: InputSender | undefined;
  readonly tickHz: number;
  send(body: Uint8Array): void;
  /** Called with the input of each step and the moment at which the step was due. */
  onTick(input: Float32Array, atMs: number): void;
}

/**
 * Samples this player's input once for every step of the authority, and sends it with the earlier ones. The
 * steps run slightly faster or slower on the authority's request, so that inputs arrive just in time.
 */
export class InputSender {
  readonly view: WritableFields<Fields>;
  readonly inputs = new InputBuffer<Float32Array>();
  readonly #options: InputSenderOptions;
  readonly #place: Place;
  readonly #pace: InputPace;
  #number = 0;
  #nextAtMs: number;
  #cancel: Cancel | undefined;

  constructor(options: InputSenderOptions) {
    const { definition, previous, tickHz, parts } = options;
    this.#options = options;
    const written = previous?.definition === definition ? previous : undefined;
    this.#place = written ? written.#place : newPlace(definition);
    this.view = written?.view ?? newView(definition, this.#place, (clamp) => parts.listeners.clamped(clamp));
    this.#pace = new InputPace(1 / tickHz);
    this.#nextAtMs = parts.scheduler.nowMs();
    this.#wait(this.#nextAtMs);
  }

  get definition(): InputDefinition {
    return this.#options.definition;
  }

  get number(): number {
    return this.#number;
  }

  /**
   * Takes the authority's feedback. Returns the unwrapped number of the newest processed input, if there is
   * one.
   */
  receiveFeedback({ processed, leadErrorTicks }: InputFeedback): number | undefined {
    if (processed === undefined) return undefined;
    const unwrapped = this.#number + (((processed - this.#number) << 16) >> 16);
    // The server knew the inputs of the ticks by which the player was ahead of it.
    this.#pace.hint(leadErrorTicks, Math.round(this.#number - unwrapped + leadErrorTicks));
    this.inputs.confirm(unwrapped);
    return unwrapped;
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Samples an input for each step that is due by `untilMs`. The game writes the input in `step`. */
  run(untilMs: number, step?: (atMs: number) => void): void {
    this.#nextAtMs = afterPause(this.#nextAtMs, untilMs, 1000 / this.#options.tickHz);
    while (this.#nextAtMs <= untilMs + 0.5) {
      const atMs = this.#nextAtMs;
      this.#nextAtMs += this.#pace.nextTickSeconds() * 1000;
      step?.(atMs);
      this.#sample(atMs);
    }
  }

  #wait(nowMs: number): void {
    const { scheduler, loop } = this.#options.parts;
    const dueInMs = loop.isRunning ? MAX_BEHIND_MS : Math.max(0, this.#nextAtMs - nowMs);
    this.#cancel = scheduler.after(dueInMs, this.#wake);
  }

  readonly #wake = (): void => {
    const { scheduler, loop } = this.#options.parts;
    const nowMs = scheduler.nowMs();
    if (!loop.isRunning) this.run(nowMs);
    this.#wait(nowMs);
  };

  #sample(atMs: number): void {
    const { definition } = this.#options;
    const input = roundInput(definition, this.#place.table.stateOf(this.#place.row));
    this.#number += 1;
    this.inputs.add(this.#number, input);
    this.#options.onTick(input, atMs);
    const rows = this.inputs.toSend().map((each) => each.input);
    this.#options.send(writeInputs(definition, { newest: this.#number & 0xffff, rows }));
  }
}

function newPlace({ definition }: InputDefinition): Place {
  const table = new EntityTable(definition, 1);
  return { table, row: table.allocate() };
}

function newView(
  { definition }: InputDefinition,
  place: Place,
  onClamp: (clamp: Clamp) => void,
): WritableFields<Fields> {
  return newFields(definition, {
    place,
    layer: "state",
    isWritable: true,
    onClamp,
  }) as WritableFields<Fields>;
}
