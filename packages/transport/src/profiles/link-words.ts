import type { QuestionWords } from "./question-words.js";

const TWO_LINKS =
  "A state must be fresh, not complete: on an unreliable link a lost one delays nothing behind it. Everything that " +
  "must arrive stays on the WebSocket, whose TCP notices a loss after one later acknowledgement where WebRTC's SCTP " +
  "waits for three (on time at 10 messages/s, RTT 50 ms, 5 % loss: unreliable 89 %, WebSocket 80 %, reliable " +
  "channel 71 %).";

/** First half of the tree in words: what is sent, to whom, over what. */
export const linkWords: readonly QuestionWords[] = [
  {
    question: "page",
    ask: "How was the page loaded?",
    rows: {
      "PAGE-1": {
        choice: "wss only",
        reason:
          "A page from https may open encrypted WebSockets only; the browser blocks ws: as mixed content.",
      },
      "PAGE-2": {
        choice: "ws or wss",
        reason: "A page from http may open both kinds of WebSocket; the address decides.",
      },
    },
  },
  {
    question: "content",
    ask: "What does the game send?",
    rows: {
      "CONTENT-1": {
        choice: "states with references",
        reason:
          "Everything moves fast: frequent states of which only the newest counts, and beside them reference states " +
          "that must arrive, from which the small differences are computed.",
      },
      "CONTENT-2": {
        choice: "states and actions",
        reason:
          "Things move freely, but what decides is what players do: positions may be lost, since the next one replaces " +
          "them; actions must arrive in order.",
      },
      "CONTENT-3": {
        choice: "actions only",
        reason:
          "The input of a few players is far smaller than the state of hundreds of pieces, and all compute the same " +
          "from it: none may be lost, so everything is reliable and in order.",
      },
      "CONTENT-4": {
        choice: "actions only",
        reason:
          "Nothing moves between two moves, so there is no state to keep fresh: one reliable, ordered stream carries " +
          "everything.",
      },
    },
  },
  {
    question: "entry",
    ask: "Is there a way in?",
    rows: {
      "ENTRY-1": {
        choice: "none",
        reason:
          "Without a WebSocket nothing can connect: it carries the join, the signalling of WebRTC, and what is relayed " +
          "to other players.",
      },
      "ENTRY-2": {
        choice: "WebSocket",
        reason:
          "The WebSocket opens first: it works almost everywhere and needs no negotiation, so the game runs on it while " +
          "better links are still being tried.",
      },
    },
  },
  {
    question: "partners",
    ask: "With whom does a player exchange anything?",
    rows: {
      "PARTNERS-1": {
        choice: "with the server alone",
        reason:
          "The server decides what happens and tells everybody; players have nothing to send to each other.",
      },
      "PARTNERS-2": {
        choice: "with the host",
        reason: "One player decides what happens, so only the way to and from that one counts.",
      },
      "PARTNERS-3": {
        choice: "with every other player",
        reason: "Everybody decides about what is theirs and tells all others.",
      },
    },
  },
  {
    question: "paths",
    ask: "Which way do players reach each other?",
    rows: {
      "PATHS-1": {
        choice: "through the relay",
        reason: "The game wants the relay between its players: nobody learns another player's address.",
      },
      "PATHS-2": {
        choice: "through the relay",
        reason: "Between two browsers only WebRTC can connect, and it is missing or switched off here.",
      },
      "PATHS-3": {
        choice: "through the relay",
        reason:
          "More other players than the profile's maxDirectPeers: directly, every state would leave this uplink once for " +
          "each of them; the relay takes one copy and passes it on.",
      },
      "PATHS-4": {
        choice: "through the relay",
        reason:
          "More other players than the profile's maxDirectPeers: the host's uplink would carry every state once for " +
          "each of them; the relay takes one copy and passes it on.",
      },
      "PATHS-5": {
        choice: "through the relay",
        reason:
          "Direct links to all would take more of this player's uplink than uploadBytesPerSecond: a full uplink delays " +
          "everything that leaves it. The relay takes one copy and passes it on.",
      },
      "PATHS-6": {
        choice: "through the relay",
        reason:
          "Computing time is favoured: every direct connection encrypts and keeps alive on its own, and a data channel " +
          "costs a browser about 40 % more than a WebSocket (Discart 2014, Chrome).",
      },
      "PATHS-7": {
        choice: "directly, else through the relay",
        reason:
          "The direct way is the shortest. The relay carries each pair until its own direct link has proven itself, and " +
          "again when that link dies: for 15 to 22 % of players none can be opened at all.",
      },
    },
  },
  {
    question: "pair",
    ask: "Which channels does a direct link have?",
    rows: {
      "PAIR-1": {
        choice: "reliable, and partially reliable for events",
        reason:
          "Actions must arrive in order. Events, such as a gesture or a pointer, lose their worth while they wait: between " +
          "players a channel can give them up after their lifetime, which TCP cannot.",
      },
      "PAIR-2": {
        choice: "unreliable for states, reliable beside it",
        reason:
          "WebRTC has channels of every kind in one connection. The reliable one recovers more slowly than TCP would, but " +
          "between two browsers it is what there is.",
      },
    },
  },
  {
    question: "server",
    ask: "Which links lead to the server (and to the relay)?",
    rows: {
      "SERVER-1": {
        choice: "WebSocket",
        reason:
          "Everything must arrive in order, which is what TCP does best; and a WebSocket costs less computing time and " +
          "fewer bytes per message than WebRTC.",
      },
      "SERVER-2": {
        choice: "WebSocket",
        reason:
          "Computing time is favoured and hardly anything is lost: a WebSocket costs the browser the least (60 s at 30 " +
          "messages/s in Chrome: 2.1 s against 3.0 s for a data channel, Discart 2014).",
      },
      "SERVER-3": {
        choice: "WebSocket",
        reason:
          "Bytes are favoured and hardly anything is lost, so an unreliable link would gain nothing: a message of 40 bytes " +
          "is 112 bytes on the wire over a WebSocket and 132 to 148 over a data channel.",
      },
      "SERVER-4": {
        choice: "states on WebTransport, else WebRTC; the rest on WebSocket",
        reason: `${TWO_LINKS} WebTransport before WebRTC: it opens without ICE.`,
      },
      "SERVER-5": {
        choice: "states on WebTransport, the rest on WebSocket",
        reason: TWO_LINKS,
      },
      "SERVER-6": {
        choice: "states on WebRTC, the rest on WebSocket",
        reason: TWO_LINKS,
      },
      "SERVER-7": {
        choice: "WebSocket",
        reason:
          "Nothing else leads from here to the server. A state that was not sent yet is replaced by the newer one, so " +
          "they come less often on a bad network, but never late and later.",
      },
    },
  },
];
