import type { Question } from "./question.js";

const ALL_IN_ORDER = {
  deliveries: { state: "ordered-reliable", event: "ordered-reliable", input: "ordered-reliable" },
} as const;

const RELAYED_PAIRS = { pairLinks: { unreliable: ["relayed"], reliable: ["relayed"] } } as const;

const DIRECT_PAIRS = {
  pairLinks: { unreliable: ["webrtc", "relayed"], reliable: ["webrtc", "relayed"] },
} as const;

const WEBSOCKET_ONLY = { serverLinks: { unreliable: ["websocket"], reliable: ["websocket"] } } as const;

const securityQuestion: Question = {
  id: "page",
  rows: [
    {
      id: "PAGE-1",
      when: { page: ["https"] },
      sets: { webSocketSchemes: ["wss"] },
      next: "content",
    },
    {
      id: "PAGE-2",
      when: {},
      sets: { webSocketSchemes: ["ws", "wss"] },
      next: "content",
    },
  ],
};

const contentQuestion: Question = {
  id: "content",
  rows: [
    {
      id: "CONTENT-1",
      when: { genre: ["racing", "shooter"] },
      answer: { content: "states with references" },
      next: "entry",
    },
    {
      id: "CONTENT-2",
      when: { movement: ["free"] },
      answer: { content: "states and actions" },
      next: "entry",
    },
    {
      id: "CONTENT-3",
      when: { genre: ["strategy", "puzzle"] },
      answer: { content: "actions only" },
      sets: ALL_IN_ORDER,
      next: "entry",
    },
    {
      id: "CONTENT-4",
      when: {},
      answer: { content: "actions only" },
      sets: ALL_IN_ORDER,
      next: "entry",
    },
  ],
};

const entryQuestion: Question = {
  id: "entry",
  rows: [
    {
      id: "ENTRY-1",
      when: { websocket: ["no"] },
      answer: { entry: "none" },
      next: "baselines",
    },
    {
      id: "ENTRY-2",
      when: {},
      answer: { entry: "WebSocket" },
      next: "partners",
    },
  ],
};

const partnersQuestion: Question = {
  id: "partners",
  rows: [
    {
      id: "PARTNERS-1",
      when: { topology: ["server"] },
      sets: { pairsWith: "nobody" },
      next: "server",
    },
    {
      id: "PARTNERS-2",
      when: { topology: ["host"] },
      sets: { pairsWith: "host" },
      next: "paths",
    },
    {
      id: "PARTNERS-3",
      when: {},
      sets: { pairsWith: "everybody" },
      next: "paths",
    },
  ],
};

const pathsQuestion: Question = {
  id: "paths",
  rows: [
    {
      id: "PATHS-1",
      when: { topology: ["relay"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-2",
      when: { webrtc: ["no"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-3",
      when: { topology: ["mesh"], peers: ["many"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-4",
      when: { peers: ["many"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-5",
      when: { upload: ["over"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-6",
      when: { favour: ["cpu"] },
      sets: RELAYED_PAIRS,
      next: "server",
    },
    {
      id: "PATHS-7",
      when: {},
      sets: DIRECT_PAIRS,
      next: "pair",
    },
  ],
};

const pairQuestion: Question = {
  id: "pair",
  rows: [
    {
      id: "PAIR-1",
      when: { content: ["actions only"] },
      sets: { pairDeliveries: { event: "lifetime" } },
      next: "server",
    },
    {
      id: "PAIR-2",
      when: {},
      next: "server",
    },
  ],
};

const serverQuestion: Question = {
  id: "server",
  rows: [
    {
      id: "SERVER-1",
      when: { content: ["actions only"] },
      sets: WEBSOCKET_ONLY,
      next: "baselines",
    },
    {
      id: "SERVER-2",
      when: { favour: ["cpu"], loss: ["unknown", "low"] },
      sets: WEBSOCKET_ONLY,
      next: "baselines",
    },
    {
      id: "SERVER-3",
      when: { favour: ["bandwidth"], loss: ["unknown", "low"] },
      sets: WEBSOCKET_ONLY,
      next: "baselines",
    },
    {
      id: "SERVER-4",
      when: { webtransport: ["yes"], webrtc: ["yes"], serverWebrtc: ["yes"] },
      sets: {
        serverLinks: { unreliable: ["webtransport", "webrtc", "websocket"], reliable: ["websocket"] },
      },
      next: "baselines",
    },
    {
      id: "SERVER-5",
      when: { webtransport: ["yes"] },
      sets: { serverLinks: { unreliable: ["webtransport", "websocket"], reliable: ["websocket"] } },
      next: "baselines",
    },
    {
      id: "SERVER-6",
      when: { webrtc: ["yes"], serverWebrtc: ["yes"] },
      sets: { serverLinks: { unreliable: ["webrtc", "websocket"], reliable: ["websocket"] } },
      next: "baselines",
    },
    {
      id: "SERVER-7",
      when: {},
      sets: WEBSOCKET_ONLY,
      next: "baselines",
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
