import type { BandedQuantity, BandName, Inputs } from "./bands.js";
import type { Explanation } from "./explain-plan.js";
import type { Plan, Reason } from "./plan.js";

// Words take more space than the tree itself. Only chunks that are loaded on demand import this file, so that
// a game without explanations never downloads it.

interface Words {
  readonly choice: string;
  readonly reason: string;
}

interface RowWords extends Words {
  /** Replaces the words while that input is unknown: the row answers then too. */
  readonly unknown?: Words & { readonly input: keyof Inputs };
}

/** Words of a question of the tree, with those of its rows by their ids. */
export interface QuestionWords {
  readonly question: string;
  readonly ask: string;
  readonly rows: Readonly<Record<string, RowWords>>;
}

/** Returns every question that the tree asked, with its answer and the reason. */
export function describePlan(plan: Plan): Explanation[] {
  return plan.reasons.map((reason) => answer(reason, plan));
}

function answer({ question, row }: Reason, { inputs }: Plan): Explanation {
  const words = treeWords.find((candidate) => candidate.question === question);
  const known = words?.rows[row] ?? { choice: row, reason: "" };
  const isUnknown = known.unknown !== undefined && inputs[known.unknown.input] === "unknown";
  const { choice, reason } = isUnknown ? known.unknown : known;
  return { about: words?.ask ?? question, choice, reason: `${reason} [${row}]` };
}

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

const NO_CHANGE = "unknown: nothing changes";

/** Words of the decision tree: of every question and every row. */
export const treeWords: readonly QuestionWords[] = [
  {
    question: "page",
    ask: "How was the page loaded?",
    rows: {
      "PAGE-1": {
        choice: "wss only",
        reason: "The page came by https: browsers block unencrypted WebSockets from such a page.",
      },
      "PAGE-2": {
        choice: "ws or wss",
        reason: "The page did not come by https, or there is no page: both kinds of WebSocket may be opened.",
      },
    },
  },
  {
    question: "content",
    ask: "What decides the game?",
    rows: {
      "CONTENT-1": {
        choice: "where things are, and what players do",
        reason:
          "Things move freely: a lost position is replaced by the next one. Actions travel beside them and must arrive in order.",
      },
      "CONTENT-2": {
        choice: "what players do",
        reason:
          "Nothing changes between two moves, so no newer state would make up for a lost one: everything arrives, in order. " +
          "A game that computes the same steps everywhere can send its inputs alone, with LockstepSession.",
      },
    },
  },
  {
    question: "paths",
    ask: "By which path do players reach each other?",
    rows: {
      "PATHS-1": {
        choice: "not at all: each talks with the server",
        reason:
          "The room has a server that decides, and tells everybody. Unless the game sets stateBytesPerSecond, it follows " +
          "from stateHz, because states come down from the server.",
      },
      "PATHS-2": { choice: "through the relay", reason: "The game asks for it." },
      "PATHS-3": {
        choice: "through the relay",
        reason: "The game hides players' addresses from each other (exposeAddress: false).",
      },
      "PATHS-4": {
        choice: "through the relay",
        reason: "Two browsers can connect by WebRTC only, and it is missing or switched off here.",
      },
      "PATHS-5": {
        choice: "through the relay",
        reason:
          "More players could be direct than the profile's maxDirectPeers: every state would leave this uplink once for each " +
          "of them. The relay takes one copy and passes it on: with 20 others a racing player sends 11.6 bytes for each " +
          "state that arrives, directly 37.5 (`pnpm bench paths`).",
      },
      "PATHS-6": {
        choice: "through the relay",
        reason:
          "Direct links to all would take more of this player's uplink than uploadBytesPerSecond, and a full uplink delays " +
          "everything that leaves it. The relay takes one copy and passes it on.",
      },
      "PATHS-7": {
        choice: "through the relay",
        reason:
          "The battery is low: one connection wakes the radio less often than several, each with pings of its own.",
      },
      "PATHS-8": {
        choice: "through the relay",
        reason:
          "The game spares bytes or computing time: over direct links each packet leaves once for each player, is encrypted " +
          "each time, and has headers of its own. With 3 others a racing player computes for 20 ms in a second, directly " +
          "for 35 (`pnpm bench paths`), and a role-playing one sends 2215 bytes and gets 3495, directly 5479 and 5478 " +
          "(`pnpm unit path-bytes`).",
      },
      "PATHS-9": {
        choice: "directly, else through the relay",
        reason:
          "The direct path is the shortest. The relay carries a pair until its direct link has proven itself, and again when " +
          "that link dies.",
      },
    },
  },
  {
    question: "events",
    ask: "Must events arrive over a direct link?",
    rows: {
      "EVENTS-1": {
        choice: "only within their lifetime",
        reason:
          "A gesture or a pointer loses its worth while it waits: a data channel can give it up, TCP cannot.",
      },
      "EVENTS-2": {
        choice: "as everywhere",
        reason: "Events are dropped after their lifetime on every link.",
      },
    },
  },
  {
    question: "server",
    ask: "Which links lead to the server (and to the relay)?",
    rows: {
      "SERVER-1": {
        choice: "WebSocket",
        reason: "Everything must arrive in order: an unreliable link would carry nothing.",
      },
      "SERVER-2": {
        choice: "WebSocket",
        reason: "WebRTC is missing or switched off here. A state that waits is replaced by the newer one.",
      },
      "SERVER-3": {
        choice: "WebSocket",
        reason:
          "The server has not said that it speaks WebRTC. A state that waits is replaced by the newer one, and where round " +
          "trips stall, states alternate between sockets: at 5 % loss 1 % of them are older than 96 ms on three, than 220 on " +
          "one, than 87 over WebRTC (`pnpm lab age`).",
      },
      "SERVER-4": {
        choice: "what may be lost on WebRTC, the rest on the WebSocket",
        reason:
          "Everything moves fast in this genre: on TCP one lost segment holds back every state behind it, whatever the game " +
          "favours. What must arrive stays on TCP, which resends sooner than SCTP does.",
      },
      "SERVER-5": {
        choice: "WebSocket",
        reason:
          "The game spares bytes or computing time, and no loss and no stalls were seen here: a WebSocket has smaller frames " +
          "and one encryption.",
      },
      "SERVER-6": {
        choice: "what may be lost on WebRTC, the rest on the WebSocket",
        reason:
          "A state must be fresh, not complete: on WebRTC a lost one holds back nothing. What must arrive stays on TCP, which " +
          "resends sooner than SCTP does.",
      },
    },
  },

  {
    question: "favour",
    ask: "What does the game favour?",
    rows: {
      "FAVOUR-1": {
        choice: "bandwidth: longer bundles, wider thresholds",
        reason:
          "Headers outweigh what is in a packet: to send less often saves most, to bundle comes next. Both cost freshness.",
      },
      "FAVOUR-2": {
        choice: "computing time: longer bundles",
        reason: "Every packet is a call into the system and an encryption: half as many cost half as much.",
      },
      "FAVOUR-3": {
        choice: "latency: events and commands leave at once",
        reason: "Nothing waits for others to share its packet, but states for the profile's period.",
      },
    },
  },
  {
    question: "battery",
    ask: "Does the battery last?",
    rows: {
      "BATTERY-1": {
        choice: "low: half the rate, longer bundles",
        reason: "A radio that may sleep between packets uses less.",
      },
      "BATTERY-2": {
        choice: "it does",
        reason: "It is charged, or charging.",
        unknown: { input: "battery", choice: NO_CHANGE, reason: "This environment does not tell." },
      },
    },
  },
  {
    question: "network",
    ask: "Which network is the device on?",
    rows: {
      "NETWORK-1": {
        choice: "mobile: wider thresholds",
        reason: "Bytes cost money there: fewer corrections, a little coarser.",
      },
      "NETWORK-2": {
        choice: "fixed",
        reason: "The environment names a cable or Wi-Fi.",
        unknown: { input: "network", choice: NO_CHANGE, reason: "This environment does not tell." },
      },
    },
  },
  {
    question: "loss",
    ask: "How much is lost?",
    rows: {
      "LOSS-1": {
        choice: "much: the newest state is repeated, heartbeats come four times as often",
        reason:
          "Lost packets alone are no full queue: fewer packets would not get through better. What is lost is wrong until " +
          "the next one, so the newest is sent again, and a standing entity sooner. At 20 % loss the mean error of an " +
          "extrapolated entity falls from 0.35 m to 0.15. Of an interpolated one, which is repeated when it rests, 1 % of " +
          "the errors exceed 0.16 m instead of 1 (`pnpm unit repeated-states`).",
      },
      "LOSS-2": {
        choice: "some: the newest state is repeated, heartbeats come twice as often",
        reason: "What is lost is wrong until the next one, so the newest is sent again.",
      },
      "LOSS-3": {
        choice: "hardly anything that stays lost",
        reason: "Repeating would cost more than it saves: little is lost, or everything arrives in order.",
        unknown: {
          input: "loss",
          choice: NO_CHANGE,
          reason: "Nothing was measured yet, or the link repeats what is lost, so that it cannot be seen.",
        },
      },
    },
  },
  {
    question: "rtt",
    ask: "How far away are the others?",
    rows: {
      "RTT-1": {
        choice: "far: others may move on twice as long",
        reason:
          "States are old when they arrive: with the profile's limit others would stand still now and then.",
      },
      "RTT-2": {
        choice: "near",
        reason: "States are young enough when they arrive.",
        unknown: { input: "rtt", choice: NO_CHANGE, reason: "No ping was answered yet." },
      },
    },
  },
  {
    question: "queue",
    ask: "Does the network take what is sent?",
    rows: {
      "QUEUE-1": {
        choice: "no: half the rate, longer bundles, wider thresholds",
        reason:
          "More is sent than the path takes. To send less often and coarser leaves room for what matters most; another " +
          "socket would not help.",
      },
      "QUEUE-2": {
        choice: "yes, or a server decides what comes down",
        reason:
          "What is sent leaves at once. Where a server decides, a full uplink changes no rate: the server measures the " +
          "way down itself, and the client leaves out no command and no input.",
        unknown: { input: "queue", choice: NO_CHANGE, reason: "Nothing was measured yet." },
      },
    },
  },
  {
    question: "stripes",
    ask: "Over how many sockets do states go, if they go over the WebSocket?",
    rows: {
      "STRIPES-1": {
        choice: "one",
        reason: "Everything must arrive in order: a second socket could not overtake the first.",
      },
      "STRIPES-2": {
        choice: "three",
        reason:
          "Every seventh round trip, or more, stalls behind lost segments. Each socket waits for its own only, and the newest " +
          "state wins (`pnpm lab age` measures it).",
      },
      "STRIPES-3": {
        choice: "two",
        reason:
          "Every tenth round trip stalls behind lost segments. States alternate: a loss blocks every second of them only.",
      },
      "STRIPES-4": {
        choice: "one",
        reason: "Nothing stalls: another socket would gain nothing.",
        unknown: {
          input: "stalls",
          choice: "unknown: one",
          reason: "No stalls were measured: none yet, or states do not go over a WebSocket.",
        },
      },
    },
  },
];
