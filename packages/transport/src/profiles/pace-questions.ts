import type { Question } from "./question.js";

const viewQuestion: Question = {
  id: "view",
  ask: "How are others shown between two states?",
  rows: [
    {
      id: "VIEW-1",
      when: { content: ["actions only"] },
      choice: "lock step",
      sets: { style: "lock step" },
      next: "favour",
      reason: "No states come: everybody computes what happens from the same actions.",
    },
    {
      id: "VIEW-2",
      when: { style: ["extrapolation"] },
      choice: "extrapolation",
      sets: { style: "extrapolation" },
      next: "favour",
      reason:
        "Others are drawn where they are now by the model that sender and receiver share: cars have inertia, and side by " +
        "side at 50 m/s a picture that is 100 ms old is 5 m off.",
    },
    {
      id: "VIEW-3",
      when: {},
      choice: "interpolation",
      sets: { style: "interpolation" },
      next: "favour",
      reason:
        "Others change direction at will, which no model foresees: they are drawn between two states that are known, a " +
        "little in the past, instead of where they never were.",
    },
  ],
};

const favourQuestion: Question = {
  id: "favour",
  ask: "What is favoured?",
  rows: [
    {
      id: "FAVOUR-1",
      when: { favour: ["bandwidth"] },
      choice: "longer bundles, wider thresholds",
      sets: { factors: { sendPeriodMs: 2, thresholdM: 1.5, headingRad: 1.5 } },
      next: "battery",
      reason:
        "Headers outweigh payloads by far: to send less often saves most, to bundle what is sent comes next. Both cost " +
        "freshness.",
    },
    {
      id: "FAVOUR-2",
      when: { favour: ["cpu"] },
      choice: "longer bundles",
      sets: { factors: { sendPeriodMs: 2 } },
      next: "battery",
      reason: "Every packet is a call into the system and an encryption: half as many cost half as much.",
    },
    {
      id: "FAVOUR-3",
      when: {},
      choice: "the profile's own period and thresholds",
      next: "battery",
      reason: "Latency is favoured: packets leave as soon as the profile's period allows.",
    },
  ],
};

const batteryQuestion: Question = {
  id: "battery",
  ask: "Does the battery last?",
  rows: [
    {
      id: "BATTERY-1",
      when: { battery: ["low"] },
      choice: "half the rate, longer bundles",
      sets: { factors: { stateHz: 0.5, sendPeriodMs: 2 } },
      next: "network",
      reason: "The battery is low: a radio that may sleep between packets uses far less.",
    },
    {
      id: "BATTERY-2",
      when: {},
      choice: "full rate",
      next: "network",
      reason: "Mains, or enough charge.",
    },
  ],
};

const networkQuestion: Question = {
  id: "network",
  ask: "What does the device hang on?",
  rows: [
    {
      id: "NETWORK-1",
      when: { network: ["mobile"] },
      choice: "wider thresholds",
      sets: { factors: { thresholdM: 1.5, headingRad: 1.5 } },
      next: "measured",
      reason:
        "On a mobile network bytes cost money and losses are frequent: fewer corrections, a little coarser.",
    },
    {
      id: "NETWORK-2",
      when: {},
      choice: "the profile's thresholds",
      next: "measured",
      reason: "A fixed network: bytes are cheap enough.",
    },
  ],
};

const measuredQuestion: Question = {
  id: "measured",
  ask: "Has the network been measured yet?",
  rows: [
    {
      id: "MEASURED-1",
      when: { loss: ["unknown"] },
      choice: "not yet",
      next: "end",
      reason: "Nothing to go by yet: the plan is made again once there is.",
    },
    {
      id: "MEASURED-2",
      when: {},
      choice: "yes",
      next: "loss",
      reason: "The running connection has shown what it loses and how long it takes.",
    },
  ],
};

const lossQuestion: Question = {
  id: "loss",
  ask: "How much is lost?",
  rows: [
    {
      id: "LOSS-1",
      when: { loss: ["high"] },
      choice: "half the rate, wider thresholds, heartbeat twice as often",
      sets: { factors: { stateHz: 0.5, thresholdM: 1.5, headingRad: 1.5, heartbeatMs: 0.5 } },
      next: "rtt",
      reason:
        "Loss as high as this may well come from a full queue, which more packets would only lengthen; and what is lost " +
        "is wrong until the next state, so a standing entity is repeated sooner.",
    },
    {
      id: "LOSS-2",
      when: { loss: ["raised"] },
      choice: "heartbeat twice as often",
      sets: { factors: { heartbeatMs: 0.5 } },
      next: "rtt",
      reason: "What is lost is wrong until the next state: a standing entity is repeated sooner.",
    },
    {
      id: "LOSS-3",
      when: {},
      choice: "the profile's heartbeat",
      next: "rtt",
      reason: "Hardly anything is lost.",
    },
  ],
};

const rttQuestion: Question = {
  id: "rtt",
  ask: "How far away are the others?",
  rows: [
    {
      id: "RTT-1",
      when: { rtt: ["long"] },
      choice: "others may move on twice as long",
      sets: { factors: { extrapolationLimitMs: 2 } },
      next: "jitter",
      reason:
        "States are old when they arrive: with the profile's limit others would stand still now and then.",
    },
    {
      id: "RTT-2",
      when: {},
      choice: "the profile's limit",
      next: "jitter",
      reason: "States are young enough when they arrive.",
    },
  ],
};

const jitterQuestion: Question = {
  id: "jitter",
  ask: "How evenly do packets come?",
  rows: [
    {
      id: "JITTER-1",
      when: { jitter: ["rough"] },
      choice: "twice the interpolation delay",
      sets: { factors: { interpolationDelayMs: 2 } },
      next: "end",
      reason: "Late states would be missing when it is their turn: a longer delay waits for them.",
    },
    {
      id: "JITTER-2",
      when: {},
      choice: "the profile's interpolation delay",
      next: "end",
      reason: "Packets come evenly.",
    },
  ],
};

/** Second half of the tree: how often, how exact, how others are shown. */
export const paceQuestions: readonly Question[] = [
  viewQuestion,
  favourQuestion,
  batteryQuestion,
  networkQuestion,
  measuredQuestion,
  lossQuestion,
  rttQuestion,
  jitterQuestion,
];
