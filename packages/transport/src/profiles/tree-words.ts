import type { BandedQuantity, BandName } from "./bands.js";
import { linkWords } from "./link-words.js";
import { paceWords } from "./pace-words.js";
import type { QuestionWords } from "./question-words.js";

// Words take more room than the tree itself. Only what is loaded on demand imports this file, so that a game which
// never asks for an explanation never downloads one.

/** The decision tree in words: every question and every row of it. */
export const treeWords: readonly QuestionWords[] = [...linkWords, ...paceWords];

/** Who says where a band begins; the lowest band of a quantity begins at nothing. */
export const bandSources: Readonly<Partial<Record<BandName<BandedQuantity>, string>>> = {
  raised:
    "Artillery 2012 calls 1 % loss “verging on unusable” for a WebSocket; at 1 % an unreliable channel is on " +
    "time 3 to 4 points more often than a WebSocket (measured for this project, 10 messages/s, RTT 50 ms)",
  high: "at 5 % the same measurement says 10 to 13 points; Discart 2014 tests with 5 %",
  long: "Armitage 2003: players of Quake III prefer less than 150 to 180 ms, more than 200 ms is too much",
  waiting: "about one packet, which is as much as the SDK itself puts into a channel; below it nothing waits",
  over: "what an uplink does not carry waits in front of it, and everything else behind that",
  some: "every tenth round trip stalls: where a second socket begins to pay, measured for this project",
  many:
    "every seventh round trip stalls, as it does from about 4 % loss at 30 states/s on: there two sockets leave 1 % of " +
    "the states older than half a round trip and 2.5 intervals (109 to 121 ms of 108, `pnpm lab age`), three do not (96 to 99)",
};
