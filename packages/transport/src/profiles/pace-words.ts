import type { QuestionWords } from "./question-words.js";

/** Second half of the tree in words: how often, how exact. */
export const paceWords: readonly QuestionWords[] = [
  {
    question: "baselines",
    ask: "What are states differences from?",
    rows: {
      "BASELINES-1": {
        choice: "the newest that the receiver acknowledged",
        reason: "The server decides this for each player.",
      },
      "BASELINES-2": {
        choice: "nothing: each is whole",
        reason: "States are rare and all arrive: none has to build on another.",
      },
      "BASELINES-3": {
        choice: "the newest that the receiver acknowledged",
        reason: "There is one receiver: what it acknowledged last is nearest to the next state.",
      },
      "BASELINES-4": {
        choice: "references that all receivers have",
        reason:
          "There are several receivers: against a reference that all of them got reliably, each state is encoded once, and " +
          "the relay passes one packet on to all.",
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
      "BATTERY-2": { choice: "unknown: nothing changes", reason: "This environment does not tell." },
      "BATTERY-3": { choice: "it does", reason: "It is charged, or charging." },
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
      "NETWORK-2": { choice: "unknown: nothing changes", reason: "This environment does not tell." },
      "NETWORK-3": { choice: "fixed", reason: "The environment names a cable or Wi-Fi." },
    },
  },
  {
    question: "loss",
    ask: "How much is lost?",
    rows: {
      "LOSS-1": {
        choice: "unknown: nothing changes",
        reason: "Nothing was measured yet, or the link repeats what is lost, so that it cannot be seen.",
      },
      "LOSS-2": {
        choice: "much: the newest state is repeated, heartbeats come four times as often",
        reason:
          "Lost packets alone are no full queue: fewer packets would not get through better. What is lost is wrong until " +
          "the next one, so the newest is sent again, and a standing entity sooner.",
      },
      "LOSS-3": {
        choice: "some: the newest state is repeated, heartbeats come twice as often",
        reason: "What is lost is wrong until the next one, so the newest is sent again.",
      },
      "LOSS-4": { choice: "hardly anything", reason: "Repeating would cost more than it saves." },
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
      "RTT-2": { choice: "unknown: nothing changes", reason: "No ping was answered yet." },
      "RTT-3": { choice: "near", reason: "States are young enough when they arrive." },
    },
  },
  {
    question: "jitter",
    ask: "How evenly do packets come?",
    rows: {
      "JITTER-1": {
        choice: "unevenly: twice the interpolation delay",
        reason: "Late states would be missing when it is their turn: a longer delay waits for them.",
      },
      "JITTER-2": { choice: "unknown: nothing changes", reason: "Too few pings were answered." },
      "JITTER-3": { choice: "evenly", reason: "Packets come when they are expected." },
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
      "QUEUE-2": { choice: "unknown: nothing changes", reason: "Nothing was measured yet." },
      "QUEUE-3": { choice: "yes", reason: "What is sent leaves at once." },
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
          "Every tenth round trip stalls behind lost segments. States alternate, so that a loss blocks every second of them " +
          "only (`pnpm lab age` measures it).",
      },
      "STRIPES-4": {
        choice: "one",
        reason: "No stalls were measured: none yet, or states do not go over a WebSocket.",
      },
      "STRIPES-5": { choice: "one", reason: "Nothing stalls: another socket would gain nothing." },
    },
  },
];
