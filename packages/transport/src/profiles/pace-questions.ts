import type { Question } from "./question.js";

const baselinesQuestion: Question = {
  id: "baselines",
  rows: [
    { id: "BASELINES-1", when: { topology: ["authority"] }, next: "favour" },
    { id: "BASELINES-2", when: { content: ["moves"] }, next: "favour" },
    { id: "BASELINES-3", when: { receivers: ["one"] }, next: "favour" },
    { id: "BASELINES-4", when: {}, sets: { baselines: "reference" }, next: "favour" },
  ],
};

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
    { id: "BATTERY-2", when: { battery: ["unknown"] }, next: "network" },
    { id: "BATTERY-3", when: {}, next: "network" },
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
    { id: "NETWORK-2", when: { network: ["unknown"] }, next: "loss" },
    { id: "NETWORK-3", when: {}, next: "loss" },
  ],
};

const lossQuestion: Question = {
  id: "loss",
  rows: [
    { id: "LOSS-1", when: { loss: ["unknown"] }, next: "rtt" },
    {
      id: "LOSS-2",
      when: { loss: ["high"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.25 } },
      next: "rtt",
    },
    {
      id: "LOSS-3",
      when: { loss: ["raised"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.5 } },
      next: "rtt",
    },
    { id: "LOSS-4", when: {}, next: "rtt" },
  ],
};

const rttQuestion: Question = {
  id: "rtt",
  rows: [
    {
      id: "RTT-1",
      when: { rtt: ["long"] },
      sets: { factors: { extrapolationLimitMs: 2 } },
      next: "jitter",
    },
    { id: "RTT-2", when: { rtt: ["unknown"] }, next: "jitter" },
    { id: "RTT-3", when: {}, next: "jitter" },
  ],
};

const jitterQuestion: Question = {
  id: "jitter",
  rows: [
    {
      id: "JITTER-1",
      when: { jitter: ["rough"] },
      sets: { factors: { interpolationDelayMs: 2 } },
      next: "queue",
    },
    { id: "JITTER-2", when: { jitter: ["unknown"] }, next: "queue" },
    { id: "JITTER-3", when: {}, next: "queue" },
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
    { id: "QUEUE-2", when: { queue: ["unknown"] }, next: "stripes" },
    { id: "QUEUE-3", when: {}, next: "stripes" },
  ],
};

const stripesQuestion: Question = {
  id: "stripes",
  rows: [
    { id: "STRIPES-1", when: { content: ["moves"] }, next: "end" },
    { id: "STRIPES-2", when: { stalls: ["many"] }, sets: { stripes: 3 }, next: "end" },
    { id: "STRIPES-3", when: { stalls: ["some"] }, sets: { stripes: 2 }, next: "end" },
    { id: "STRIPES-4", when: { stalls: ["unknown"] }, next: "end" },
    { id: "STRIPES-5", when: {}, next: "end" },
  ],
};

/** Second half of the tree: how often, how exact. */
export const paceQuestions: readonly Question[] = [
  baselinesQuestion,
  favourQuestion,
  batteryQuestion,
  networkQuestion,
  lossQuestion,
  rttQuestion,
  jitterQuestion,
  queueQuestion,
  stripesQuestion,
];
