import { writeInputs } from "@paceline/protocol";
import { ArenaInput } from "../room/systems/arena-kinds.js";

const inputRow = new Float32Array(ArenaInput.definition.components.length);

/** Returns the body of a bot's input message: its input at all ticks since the message before. */
export function arenaInputBody(number: number, ticksPerInput: number): Uint8Array {
  inputRow.set([number & 0xffff, -127, 127, 1.25, 2.5]);
  const rows = Array.from({ length: ticksPerInput }, () => inputRow);
  return writeInputs(ArenaInput, { newest: (number * ticksPerInput) & 0xffff, rows });
}
