import { answerOrders } from "../capacity/child-process.js";
import { runMemoryWorld, type MeasuredTime } from "./memory-world.js";
import type { WorldShape } from "./world-shape.js";

/** Arguments of a process that plays a world over memory links. */
export interface MemoryArguments extends MeasuredTime {
  readonly role: "memory";
  readonly shape: WorldShape;
}

/** Runs a world in a process of its own, so that its memory and its compiled code are its own. */
export function serveMemoryWorld(options: MemoryArguments): void {
  answerOrders({ run: () => runMemoryWorld(options.shape, options) });
}
