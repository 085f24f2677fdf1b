import type { BandedQuantity, BandName } from "./bands.js";
import { linkWords } from "./link-words.js";
import { paceWords } from "./pace-words.js";
import type { QuestionWords } from "./question-words.js";

// Words take more space than the tree itself. Only chunks that are loaded on demand import this file, so that
// a game without explanations never downloads it.

/** Words of the decision tree: of every question and every row. */
export const treeWords: readonly QuestionWords[] = [...linkWords, ...paceWords];

/** Sources of the bands' lower limits. The lowest band of a quantity has none. */
export const bandSources: Readonly<Partial<Record<BandName<BandedQuantity>, string>>> = {
  raised:
    "at 1 % loss 1 % of the states on a WebSocket are older than 119 ms, over WebRTC than 60 (`pnpm lab age`)",
  high: "at 5 % loss 1 % of the states on a WebSocket are older than 220 ms, over WebRTC than 87 (`pnpm lab age`)",
  long: "players of a fast shooter call more than that too much (Armitage 2003)",
  waiting: "about one packet, which is as much as the SDK itself puts into a channel; below it nothing waits",
  over: "what an uplink does not carry waits in front of it, and everything else behind that",
  some:
    "a second socket shortens the wait behind lost segments: at 5 % loss 1 % of the states are older than 109 ms on two, " +
    "than 220 on one (`pnpm lab age`)",
  many: "a third one shortens it further: at 5 % loss to 96 ms, from 109 on two (`pnpm lab age`)",
};
