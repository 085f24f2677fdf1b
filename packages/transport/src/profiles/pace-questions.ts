import type { Question } from "./question.js";

const favourQuestion: Question = {
  id: "favour",
  rows: [
    {
      id: "FAVOUR-1",
      when: { favour: ["bandwidth"] },
      sets: { factors: { sendPeriodMs: 2, thresholdM: 1.5, headingRad: 1.5 } },
      next: "battery",
    },
    { id: "FAVOUR-2", when: { favour: ["cpu"] }, sets: { factors: { sendPeriodMs: 2 } }, next: "battery" },
    { id: "FAVOUR-3", when: {}, sets: { atOnce: true }, next: "battery" },
  ],
};

const batteryQuestion: Question = {
  id: "battery",
  rows: [
    {
      id: "BATTERY-1",
      when: { battery: ["low"] },
      sets: { factors: { stateHz: 0.5, sendPeriodMs: 2 } },
      next: "network",
    },
    { id: "BATTERY-2", when: {}, next: "network" },
  ],
};

const networkQuestion: Question = {
  id: "network",
  rows: [
    {
      id: "NETWORK-1",
      when: { network: ["mobile"] },
      sets: { factors: { thresholdM: 1.5, headingRad: 1.5 } },
      next: "loss",
    },
    { id: "NETWORK-2", when: {}, next: "loss" },
  ],
};

const lossQuestion: Question = {
  id: "loss",
  rows: [
    {
      id: "LOSS-1",
      when: { loss: ["high"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.25 } },
      next: "rtt",
    },
    {
      id: "LOSS-2",
      when: { loss: ["raised"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.5 } },
      next: "rtt",
    },
    { id: "LOSS-3", when: {}, next: "rtt" },
  ],
};

const rttQuestion: Question = {
  id: "rtt",
  rows: [
    {
      id: "RTT-1",
      when: { rtt: ["long"] },
      sets: { factors: { extrapolationLimitMs: 2 } },
      next: "queue",
    },
    { id: "RTT-2", when: {}, next: "queue" },
  ],
};

const queueQuestion: Question = {
  id: "queue",
  rows: [
    {
      id: "QUEUE-1",
      when: { queue: ["waiting"] },
      sets: { factors: { stateHz: 0.5, sendPeriodMs: 2, thresholdM: 1.5, headingRad: 1.5 } },
      next: "end",
    },
    { id: "QUEUE-2", when: {}, next: "stripes" },
  ],
};

const stripesQuestion: Question = {
  id: "stripes",
  rows: [
    { id: "STRIPES-1", when: { content: ["moves"] }, next: "end" },
    { id: "STRIPES-2", when: { stalls: ["many"] }, sets: { stripes: 3 }, next: "end" },
    { id: "STRIPES-3", when: { stalls: ["some"] }, sets: { stripes: 2 }, next: "end" },
    { id: "STRIPES-4", when: {}, next: "end" },
  ],
};

/** Second half of the tree: rates, precision and stripes. */
export const paceQuestions: readonly Question[] = [
  favourQuestion,
  batteryQuestion,
  networkQuestion,
  lossQuestion,
  rttQuestion,
  queueQuestion,
  stripesQuestion,
];
