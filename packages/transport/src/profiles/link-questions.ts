import type { Question } from "./question.js";

const RELAYED_PAIRS = { pairLinks: { unreliable: ["relayed"], reliable: ["relayed"] } } as const;

const DIRECT_PAIRS = {
  pairLinks: { unreliable: ["webrtc", "relayed"], reliable: ["webrtc", "relayed"] },
} as const;

const WEBSOCKET_ONLY = { serverLinks: { unreliable: ["websocket"], reliable: ["websocket"] } } as const;

const TWO_LINKS =
  "A state must be fresh, not complete: on an unreliable link a lost one delays nothing behind it. Everything that " +
  "must arrive stays on the WebSocket, whose TCP notices a loss after one later acknowledgement where WebRTC's SCTP " +
  "waits for three (on time at 10 messages/s, RTT 50 ms, 5 % loss: unreliable 89 %, WebSocket 80 %, reliable " +
  "channel 71 %).";

const securityQuestion: Question = {
  id: "page",
  ask: "How was the page loaded?",
  rows: [
    {
      id: "PAGE-1",
      when: { page: ["https"] },
      choice: "wss only",
      sets: { webSocketSchemes: ["wss"] },
      next: "content",
      reason:
        "A page from https may open encrypted WebSockets only; the browser blocks ws: as mixed content.",
    },
    {
      id: "PAGE-2",
      when: {},
      choice: "ws or wss",
      sets: { webSocketSchemes: ["ws", "wss"] },
      next: "content",
      reason: "A page from http may open both kinds of WebSocket; the address decides.",
    },
  ],
};

const contentQuestion: Question = {
  id: "content",
  ask: "What does the game send?",
  rows: [
    {
      id: "CONTENT-1",
      when: { genre: ["racing", "shooter"] },
      choice: "states with references",
      answer: { content: "states with references" },
      next: "entry",
      reason:
        "Everything moves fast: frequent states of which only the newest counts, and beside them reference states " +
        "that must arrive, from which the small differences are computed.",
    },
    {
      id: "CONTENT-2",
      when: { movement: ["free"] },
      choice: "states and actions",
      answer: { content: "states and actions" },
      next: "entry",
      reason:
        "Things move freely, but what decides is what players do: positions may be lost, since the next one replaces " +
        "them; actions must arrive in order.",
    },
    {
      id: "CONTENT-3",
      when: { genre: ["strategy", "puzzle"] },
      choice: "actions only",
      answer: { content: "actions only" },
      sets: {
        deliveries: { state: "ordered-reliable", event: "ordered-reliable", input: "ordered-reliable" },
      },
      next: "entry",
      reason:
        "The input of a few players is far smaller than the state of hundreds of pieces, and all compute the same " +
        "from it: none may be lost, so everything is reliable and in order.",
    },
    {
      id: "CONTENT-4",
      when: {},
      choice: "actions only",
      answer: { content: "actions only" },
      sets: {
        deliveries: { state: "ordered-reliable", event: "ordered-reliable", input: "ordered-reliable" },
      },
      next: "entry",
      reason:
        "Nothing moves between two moves, so there is no state to keep fresh: one reliable, ordered stream carries " +
        "everything.",
    },
  ],
};

const entryQuestion: Question = {
  id: "entry",
  ask: "Is there a way in?",
  rows: [
    {
      id: "ENTRY-1",
      when: { websocket: ["no"] },
      choice: "none",
      answer: { entry: "none" },
      next: "view",
      reason:
        "Without a WebSocket nothing can connect: it carries the join, the signalling of WebRTC, and what is relayed " +
        "to other players.",
    },
    {
      id: "ENTRY-2",
      when: {},
      choice: "WebSocket",
      answer: { entry: "WebSocket" },
      next: "partners",
      reason:
        "The WebSocket opens first: it works almost everywhere and needs no negotiation, so the game runs on it while " +
        "better links are still being tried.",
    },
  ],
};

const partnersQuestion: Question = {
  id: "partners",
  ask: "With whom does a player exchange anything?",
  rows: [
    {
      id: "PARTNERS-1",
      when: { topology: ["server"] },
      choice: "with the server alone",
      sets: { pairsWith: "nobody" },
      next: "server",
      reason:
        "The server decides what happens and tells everybody; players have nothing to send to each other.",
    },
    {
      id: "PARTNERS-2",
      when: { topology: ["host"] },
      choice: "with the host",
      sets: { pairsWith: "host" },
      next: "paths",
      reason: "One player decides what happens, so only the way to and from that one counts.",
    },
    {
      id: "PARTNERS-3",
      when: {},
      choice: "with every other player",
      sets: { pairsWith: "everybody" },
      next: "paths",
      reason: "Everybody decides about what is theirs and tells all others.",
    },
  ],
};

const pathsQuestion: Question = {
  id: "paths",
  ask: "Which way do players reach each other?",
  rows: [
    {
      id: "PATHS-1",
      when: { topology: ["relay"] },
      choice: "through the relay",
      sets: RELAYED_PAIRS,
      next: "server",
      reason: "The game wants the relay between its players: nobody learns another player's address.",
    },
    {
      id: "PATHS-2",
      when: { webrtc: ["no"] },
      choice: "through the relay",
      sets: RELAYED_PAIRS,
      next: "server",
      reason: "Between two browsers only WebRTC can connect, and it is missing or switched off here.",
    },
    {
      id: "PATHS-3",
      when: { topology: ["mesh"], peers: ["many"] },
      choice: "through the relay",
      sets: RELAYED_PAIRS,
      next: "server",
      reason:
        "More other players than the profile's maxDirectPeers: directly, every state would leave this uplink once for " +
        "each of them; the relay takes one copy and passes it on.",
    },
    {
      id: "PATHS-4",
      when: { peers: ["many"] },
      choice: "through the relay",
      sets: RELAYED_PAIRS,
      next: "server",
      reason:
        "More other players than the profile's maxDirectPeers: the host's uplink would carry every state once for " +
        "each of them; the relay takes one copy and passes it on.",
    },
    {
      id: "PATHS-5",
      when: { favour: ["cpu"] },
      choice: "through the relay",
      sets: RELAYED_PAIRS,
      next: "server",
      reason:
        "Computing time is favoured: every direct connection encrypts and keeps alive on its own, and a data channel " +
        "costs a browser about 40 % more than a WebSocket (Discart 2014, Chrome).",
    },
    {
      id: "PATHS-6",
      when: {},
      choice: "directly, else through the relay",
      sets: DIRECT_PAIRS,
      next: "pair",
      reason:
        "The direct way is the shortest. The relay carries each pair until its own direct link has proven itself, and " +
        "again when that link dies: for 15 to 22 % of players none can be opened at all.",
    },
  ],
};

const pairQuestion: Question = {
  id: "pair",
  ask: "Which channels does a direct link have?",
  rows: [
    {
      id: "PAIR-1",
      when: { content: ["actions only"] },
      choice: "reliable, and partially reliable for events",
      sets: { pairDeliveries: { event: "lifetime" } },
      next: "server",
      reason:
        "Actions must arrive in order. Events, such as a gesture or a pointer, lose their worth while they wait: between " +
        "players a channel can give them up after their lifetime, which TCP cannot.",
    },
    {
      id: "PAIR-2",
      when: {},
      choice: "unreliable for states, reliable beside it",
      next: "server",
      reason:
        "WebRTC has channels of every kind in one connection. The reliable one recovers more slowly than TCP would, but " +
        "between two browsers it is what there is.",
    },
  ],
};

const serverQuestion: Question = {
  id: "server",
  ask: "Which links lead to the server (and to the relay)?",
  rows: [
    {
      id: "SERVER-1",
      when: { content: ["actions only"] },
      choice: "WebSocket",
      sets: WEBSOCKET_ONLY,
      next: "view",
      reason:
        "Everything must arrive in order, which is what TCP does best; and a WebSocket costs less computing time and " +
        "fewer bytes per message than WebRTC.",
    },
    {
      id: "SERVER-2",
      when: { favour: ["cpu"], loss: ["unknown", "low"] },
      choice: "WebSocket",
      sets: WEBSOCKET_ONLY,
      next: "view",
      reason:
        "Computing time is favoured and hardly anything is lost: a WebSocket costs the browser the least (60 s at 30 " +
        "messages/s in Chrome: 2.1 s against 3.0 s for a data channel, Discart 2014).",
    },
    {
      id: "SERVER-3",
      when: { favour: ["bandwidth"], loss: ["unknown", "low"] },
      choice: "WebSocket",
      sets: WEBSOCKET_ONLY,
      next: "view",
      reason:
        "Bytes are favoured and hardly anything is lost, so an unreliable link would gain nothing: a message of 40 bytes " +
        "is 112 bytes on the wire over a WebSocket and 132 to 148 over a data channel.",
    },
    {
      id: "SERVER-4",
      when: { webtransport: ["yes"], webrtc: ["yes"], serverWebrtc: ["yes"] },
      choice: "states on WebTransport, else WebRTC; the rest on WebSocket",
      sets: {
        serverLinks: { unreliable: ["webtransport", "webrtc", "websocket"], reliable: ["websocket"] },
      },
      next: "view",
      reason: `${TWO_LINKS} WebTransport before WebRTC: it opens without ICE.`,
    },
    {
      id: "SERVER-5",
      when: { webtransport: ["yes"] },
      choice: "states on WebTransport, the rest on WebSocket",
      sets: { serverLinks: { unreliable: ["webtransport", "websocket"], reliable: ["websocket"] } },
      next: "view",
      reason: TWO_LINKS,
    },
    {
      id: "SERVER-6",
      when: { webrtc: ["yes"], serverWebrtc: ["yes"] },
      choice: "states on WebRTC, the rest on WebSocket",
      sets: { serverLinks: { unreliable: ["webrtc", "websocket"], reliable: ["websocket"] } },
      next: "view",
      reason: TWO_LINKS,
    },
    {
      id: "SERVER-7",
      when: {},
      choice: "WebSocket",
      sets: WEBSOCKET_ONLY,
      next: "view",
      reason:
        "Nothing else leads from here to the server. A state that was not sent yet is replaced by the newer one, so " +
        "they come less often on a bad network, but never late and later.",
    },
  ],
};

/** First half of the tree: what is sent, to whom, over what. */
export const linkQuestions: readonly Question[] = [
  securityQuestion,
  contentQuestion,
  entryQuestion,
  partnersQuestion,
  pathsQuestion,
  pairQuestion,
  serverQuestion,
];
