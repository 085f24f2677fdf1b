import { MessageKind } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { AnswerBudget, Session, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { HandLink } from "./hand-link.js";

const LINK: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: Infinity,
  heartbeatMs: Infinity,
};
const MESSAGE_BYTES = 100;
const SECONDS = 10;
/** Packets of the attacker in a second: as many as a relay allows. */
const ATTACKS_PER_SECOND = 400;

/** A session that sends messages to a receiver whose answers the test writes. */
class Victim {
  readonly link = new HandLink();
  readonly session: Session;
  readonly repeatedBytes: number[] = [];
  bytes = 0;
  readonly #scheduler: VirtualScheduler;
  #receipt = 0;
  /** Next id that has never been sent. Ids of this test do not wrap. */
  #next = 0;
  #newest = 0;

  constructor(scheduler: VirtualScheduler, answers?: AnswerBudget) {
    this.#scheduler = scheduler;
    this.session = new Session({
      scheduler,
      handlers: { onReliable: () => undefined },
      ...(answers && { answers }),
    });
    this.session.attach(this.link, LINK);
    this.read();
  }

  say(count: number): void {
    for (let left = count; left > 0; left--) this.session.sendReliable(new Uint8Array(MESSAGE_BYTES));
  }

  /** Reads what was sent. Returns the ids of repeated messages. */
  read(): number[] {
    const repeated: number[] = [];
    for (const { header, messages } of this.link.takeSent()) {
      for (const { kind, body } of messages) {
        if (kind !== MessageKind.reliable) continue;
        const id = body[0]! + 256 * body[1]!;
        if (id < this.#next) repeated.push(id);
        this.#next = Math.max(this.#next, id + 1);
        this.#newest = header.sequence;
      }
    }
    const bytes = repeated.length * MESSAGE_BYTES;
    this.bytes += bytes;
    const second = Math.floor(this.#scheduler.nowMs() / 1000);
    this.repeatedBytes[second] = (this.repeatedBytes[second] ?? 0) + bytes;
    return repeated;
  }

  /** Confirms one more message, and the newest packet: all between them look lost. */
  trickle(): void {
    this.read();
    if (this.#receipt < this.#next - 2) this.#receipt += 1;
    this.link.receive([], { receipt: this.#receipt, acks: { ack: this.#newest, ackBits: 0 } });
    this.read();
  }

  /** Says that the packet with the newest message arrived, and none before it. */
  confirmNewest(): void {
    this.link.receive([], { acks: { ack: this.#newest, ackBits: 0 } });
  }
}

describe("a receiver that confirms one message at a time, and packets that show a loss", () => {
  test("[WF38] makes a session repeat at most 64 KiB in a second besides twice what it confirms", () => {
    const scheduler = new VirtualScheduler();
    const victim = new Victim(scheduler);
    victim.say(2000);
    for (let attack = 0; attack < SECONDS * ATTACKS_PER_SECOND; attack++) {
      if (attack % 20 === 0) victim.say(4);
      victim.trickle();
      scheduler.advance(1000 / ATTACKS_PER_SECOND);
    }
    expect(victim.bytes).toBeGreaterThan(10_000);
    // 400 packets a second confirm at most 400 messages.
    const earned = 2 * ATTACKS_PER_SECOND * MESSAGE_BYTES;
    expect(Math.max(...victim.repeatedBytes)).toBeLessThan(66_000 + earned);
  });

  test("costs all pairs of a client together at most 128 KiB in a second, and an honest pair gets its share", () => {
    const scheduler = new VirtualScheduler();
    const answers = new AnswerBudget(scheduler);
    const hostile = Array.from({ length: 30 }, () => new Victim(scheduler, answers));
    const honest = new Victim(scheduler, answers);
    for (const victim of hostile) victim.say(1000);
    const waitedMs: number[] = [];
    for (let attack = 0; attack < SECONDS * 100; attack++) {
      for (const victim of hostile) victim.trickle();
      if (attack % 100 === 50) {
        // One packet is lost, and the ack of the next one shows it.
        honest.say(1);
        scheduler.advance(6);
        honest.say(1);
        honest.read();
        honest.confirmNewest();
        const sinceMs = scheduler.nowMs();
        for (let step = 0; step < 2000 && honest.read().length === 0; step++) scheduler.advance(1);
        waitedMs.push(scheduler.nowMs() - sinceMs);
        honest.link.receive([], { receipt: 2 * waitedMs.length });
      }
      scheduler.advance(10);
    }
    const seconds = Array.from({ length: SECONDS }, (_, second) =>
      [...hostile, honest].reduce((sum, { repeatedBytes }) => sum + (repeatedBytes[second] ?? 0), 0),
    );
    expect(Math.max(...seconds)).toBeGreaterThan(10_000);
    expect(Math.max(...seconds)).toBeLessThan(133_000);
    // A turn for each hostile pair at 64 KiB a second.
    expect(Math.max(...waitedMs)).toBeLessThan(31 * 20);
  });
});

test("acks that show a loss again and again cost a session no more than the budget allows at once", () => {
  const scheduler = new VirtualScheduler();
  const victim = new Victim(scheduler);
  victim.say(5000);
  for (let round = 0; round < 400; round++) victim.trickle();
  // No time has passed: only the burst and what receipts earned may have left again.
  expect(victim.bytes).toBeLessThan(34_000 + 2 * 400 * MESSAGE_BYTES);
});
