import type { QuestionWords } from "./question-words.js";

const NO_CHANGE = "unknown: nothing changes";

/** Words of the tree's second half: rates, precision and stripes. */
export const paceWords: readonly QuestionWords[] = [
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
          "the next one, so the newest is sent again, and a standing entity sooner.",
      },
      "LOSS-2": {
        choice: "some: the newest state is repeated, heartbeats come twice as often",
        reason: "What is lost is wrong until the next one, so the newest is sent again.",
      },
      "LOSS-3": {
        choice: "hardly anything",
        reason: "Repeating would cost more than it saves.",
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
        choice: "yes",
        reason: "What is sent leaves at once.",
        unknown: { input: "queue", choice: NO_CHANGE, reason: "Nothing was measured yet." },
      },
    },
  },
  {
    question: "stripes",
    ask: "Over how many sockets do states go where there is only a WebSocket?",
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
