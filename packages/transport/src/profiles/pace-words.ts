import type { QuestionWords } from "./question-words.js";

/** Second half of the tree in words: how often, how exact, how others are shown. */
export const paceWords: readonly QuestionWords[] = [
  {
    question: "baselines",
    ask: "What are states differences from?",
    rows: {
      "BASELINES-1": {
        choice: "the newest that the receiver acknowledged",
        reason: "Actions decide the game; the few states there are have no need of references.",
      },
      "BASELINES-2": {
        choice: "the newest that the receiver acknowledged",
        reason:
          "The server writes for each player apart, since each sees something else: the newest state that a player is " +
          "known to have is the nearest to the next.",
      },
      "BASELINES-3": {
        choice: "the newest that the receiver acknowledged",
        reason:
          "There is one receiver: nobody else would share an encoding, and its newest state is the nearest.",
      },
      "BASELINES-4": {
        choice: "references that all receivers have",
        reason:
          "Several receivers, who hold different states: against a reference that all of them got reliably, each state " +
          "is encoded once for everybody, and the relay can pass one packet on to all.",
      },
    },
  },
  {
    question: "view",
    ask: "How are others shown between two states?",
    rows: {
      "VIEW-1": {
        choice: "lock step",
        reason: "No states come: everybody computes what happens from the same actions.",
      },
      "VIEW-2": {
        choice: "extrapolation",
        reason:
          "Others are drawn where they are now by the model that sender and receiver share: cars have inertia, and side by " +
          "side at 50 m/s a picture that is 100 ms old is 5 m off.",
      },
      "VIEW-3": {
        choice: "interpolation",
        reason:
          "Others change direction at will, which no model foresees: they are drawn between two states that are known, a " +
          "little in the past, instead of where they never were.",
      },
    },
  },
  {
    question: "favour",
    ask: "What is favoured?",
    rows: {
      "FAVOUR-1": {
        choice: "longer bundles, wider thresholds",
        reason:
          "Headers outweigh payloads by far: to send less often saves most, to bundle what is sent comes next. Both cost " +
          "freshness.",
      },
      "FAVOUR-2": {
        choice: "longer bundles",
        reason: "Every packet is a call into the system and an encryption: half as many cost half as much.",
      },
      "FAVOUR-3": {
        choice: "the profile's own period and thresholds",
        reason: "Latency is favoured: packets leave as soon as the profile's period allows.",
      },
    },
  },
  {
    question: "battery",
    ask: "Does the battery last?",
    rows: {
      "BATTERY-1": {
        choice: "half the rate, longer bundles",
        reason: "The battery is low: a radio that may sleep between packets uses far less.",
      },
      "BATTERY-2": {
        choice: "full rate",
        reason: "Mains, or enough charge.",
      },
    },
  },
  {
    question: "network",
    ask: "What does the device hang on?",
    rows: {
      "NETWORK-1": {
        choice: "wider thresholds",
        reason:
          "On a mobile network bytes cost money and losses are frequent: fewer corrections, a little coarser.",
      },
      "NETWORK-2": {
        choice: "the profile's thresholds",
        reason: "A fixed network: bytes are cheap enough.",
      },
    },
  },
  {
    question: "measured",
    ask: "Has the network been measured yet?",
    rows: {
      "MEASURED-1": {
        choice: "not yet",
        reason: "Nothing to go by yet: the plan is made again once there is.",
      },
      "MEASURED-2": {
        choice: "yes",
        reason: "The running connection has shown what it loses and how long it takes.",
      },
    },
  },
  {
    question: "loss",
    ask: "How much is lost?",
    rows: {
      "LOSS-1": {
        choice: "half the rate, wider thresholds, heartbeat twice as often",
        reason:
          "Loss as high as this may well come from a full queue, which more packets would only lengthen; and what is lost " +
          "is wrong until the next state, so a standing entity is repeated sooner.",
      },
      "LOSS-2": {
        choice: "heartbeat twice as often",
        reason: "What is lost is wrong until the next state: a standing entity is repeated sooner.",
      },
      "LOSS-3": {
        choice: "the profile's heartbeat",
        reason: "Hardly anything is lost.",
      },
    },
  },
  {
    question: "rtt",
    ask: "How far away are the others?",
    rows: {
      "RTT-1": {
        choice: "others may move on twice as long",
        reason:
          "States are old when they arrive: with the profile's limit others would stand still now and then.",
      },
      "RTT-2": {
        choice: "the profile's limit",
        reason: "States are young enough when they arrive.",
      },
    },
  },
  {
    question: "jitter",
    ask: "How evenly do packets come?",
    rows: {
      "JITTER-1": {
        choice: "twice the interpolation delay",
        reason: "Late states would be missing when it is their turn: a longer delay waits for them.",
      },
      "JITTER-2": {
        choice: "the profile's interpolation delay",
        reason: "Packets come evenly.",
      },
    },
  },
  {
    question: "queue",
    ask: "Does the network take what is sent?",
    rows: {
      "QUEUE-1": {
        choice: "half the rate, longer bundles, wider thresholds",
        reason:
          "Bytes wait for seconds: more is sent than a path takes. What waits is replaced by the newer state, so nothing " +
          "grows old in the queue; to send less often and coarser leaves room for what matters most.",
      },
      "QUEUE-2": {
        choice: "as it is",
        reason: "What is sent leaves at once.",
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
        choice: "one",
        reason: "The path is full: what is lost is lost to its own queue, and more sockets would not help.",
      },
      "STRIPES-3": {
        choice: "three",
        reason:
          "Every seventh round trip, or more, stalls behind lost segments. Each socket waits for its own only, and the " +
          "newest state wins (50 ms RTT, 5 % loss, 30 states/s: 1 % of the states older than 270 ms on one socket, 109 to " +
          "121 ms on two, 90 to 99 ms on three).",
      },
      "STRIPES-4": {
        choice: "two",
        reason:
          "Round trips stall behind lost segments now and then. States alternate, so that a loss blocks only every second " +
          "of them (50 ms RTT, 1 % loss, 30 states/s: 1 % older than 119 ms on one socket, 81 ms on two).",
      },
      "STRIPES-5": {
        choice: "one",
        reason: "No stalls: another socket would gain nothing.",
      },
    },
  },
];
