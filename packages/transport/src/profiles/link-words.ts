import type { QuestionWords } from "./question-words.js";

/** Words of the tree's first half: content, receivers and links of the traffic. */
export const linkWords: readonly QuestionWords[] = [
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
    ask: "Which way do players reach each other?",
    rows: {
      "PATHS-1": {
        choice: "not at all: each talks with the server",
        reason: "The room has a server that decides, and tells everybody.",
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
          "The game spares computing time: every direct connection encrypts each packet again and pings on its own. With 3 " +
          "others a racing player computes for 20 ms in a second, directly for 35, and sends 26 bytes for each state that " +
          "arrives, directly 44 (`pnpm bench paths`).",
      },
      "PATHS-9": {
        choice: "directly, else through the relay",
        reason:
          "The direct way is the shortest. The relay carries a pair until its direct link has proven itself, and again when " +
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
];
