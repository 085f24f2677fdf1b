import type { Question } from "./question.js";

const pageQuestion: Question = {
  id: "page",
  rows: [
    { id: "PAGE-1", when: { page: ["https"] }, sets: { schemes: ["wss"] }, next: "content" },
    { id: "PAGE-2", when: {}, sets: { schemes: ["ws", "wss"] }, next: "content" },
  ],
};

const contentQuestion: Question = {
  id: "content",
  rows: [
    { id: "CONTENT-1", when: { movement: ["free"] }, answer: { content: "states" }, next: "paths" },
    {
      id: "CONTENT-2",
      when: {},
      answer: { content: "moves" },
      sets: {
        deliveries: {
          state: "ordered-reliable",
          event: "ordered-reliable",
          input: "ordered-reliable",
        },
      },
      next: "paths",
    },
  ],
};

const pathsQuestion: Question = {
  id: "paths",
  rows: [
    { id: "PATHS-1", when: { topology: ["authority"] }, next: "server" },
    { id: "PATHS-2", when: { topology: ["relay"] }, next: "server" },
    { id: "PATHS-3", when: { address: ["hidden"] }, next: "server" },
    { id: "PATHS-4", when: { webrtc: ["no"] }, next: "server" },
    { id: "PATHS-5", when: { peers: ["many"] }, next: "server" },
    { id: "PATHS-6", when: { upload: ["over"] }, next: "server" },
    { id: "PATHS-7", when: { battery: ["low"], receivers: ["several"] }, next: "server" },
    { id: "PATHS-8", when: { favour: ["cpu"], receivers: ["several"] }, next: "server" },
    { id: "PATHS-9", when: {}, sets: { direct: true }, next: "events" },
  ],
};

const eventsQuestion: Question = {
  id: "events",
  rows: [
    {
      id: "EVENTS-1",
      when: { content: ["moves"] },
      sets: { deliveries: { event: "lifetime" } },
      next: "server",
    },
    { id: "EVENTS-2", when: {}, next: "server" },
  ],
};

const serverQuestion: Question = {
  id: "server",
  rows: [
    { id: "SERVER-1", when: { content: ["moves"] }, next: "favour" },
    { id: "SERVER-2", when: { webrtc: ["no"] }, next: "favour" },
    { id: "SERVER-3", when: { serverWebrtc: ["unknown", "no"] }, next: "favour" },
    { id: "SERVER-4", when: { genre: ["racing", "shooter"] }, sets: { webrtc: true }, next: "favour" },
    {
      id: "SERVER-5",
      when: { favour: ["cpu", "bandwidth"], loss: ["unknown", "low"], stalls: ["unknown", "none"] },
      next: "favour",
    },
    { id: "SERVER-6", when: {}, sets: { webrtc: true }, next: "favour" },
  ],
};

/** First half of the tree: content, receivers and links of the traffic. */
export const linkQuestions: readonly Question[] = [
  pageQuestion,
  contentQuestion,
  pathsQuestion,
  eventsQuestion,
  serverQuestion,
];
