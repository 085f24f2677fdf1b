import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { PathChoice, Session, type Link, type LinkMonitorOptions } from "@paceline/transport";
import { expect, test } from "vitest";

const relayed: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Infinity,
  timeoutMs: Infinity,
  heartbeatMs: 1000,
};

/** One side of a pair with both paths, which goes by what it measures of them. */
class Side {
  readonly choice = new PathChoice();
  readonly messages: number[] = [];
  readonly session: Session;

  constructor(scheduler: VirtualScheduler, direct: Link, relay: Link) {
    this.session = new Session({
      scheduler,
      handlers: { onReliable: (payload) => this.messages.push(payload[0]! + payload[1]! * 256) },
    });
    const isWorse = (): boolean => this.choice.choice === "relay";
    this.session.attach(relay, relayed);
    this.session.attach(direct, {
      ...{ needsProof: true, connectTimeoutMs: 5000, timeoutMs: 1000, heartbeatMs: 250 },
      get preference() {
        return isWorse() ? 0 : 10;
      },
    });
    scheduler.every(1000, () => {
      const { session } = this;
      const [forDirect, forRelay] = [session.readingOf(direct), session.readingOf(relay)];
      if (this.choice.observe(forDirect, forRelay, scheduler.nowMs())) session.reconsider(this.choice.reason);
    });
  }
}

test("traffic leaves a bad direct path for the relay and comes back; no message is lost on the way", () => {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(11);
  const direct = memoryLinkPair({ scheduler, random, settings: { delayMs: 10 } });
  const relay = memoryLinkPair({ scheduler, random, settings: { delayMs: 25 }, isUnreliable: false });
  const a = new Side(scheduler, direct.a, relay.a);
  const b = new Side(scheduler, direct.b, relay.b);
  let sent = 0;
  const talk = (seconds: number): void => {
    const end = sent + seconds * 10;
    for (; sent < end; sent += 1) {
      const payload = Uint8Array.of(sent & 0xff, sent >> 8);
      a.session.sendReliable(payload);
      b.session.sendReliable(payload);
      scheduler.advance(100);
    }
  };
  talk(10);
  expect(a.session.activeLink).toBe(direct.a);
  direct.change({ loss: { kind: "uniform", ratio: 0.15 } });
  talk(30);
  expect([a.session.activeLink, b.session.activeLink]).toEqual([relay.a, relay.b]);
  expect(a.choice.reason).toMatch(/^the direct path is worse than the relay/);
  direct.change({ loss: { kind: "none" } });
  talk(150);
  expect([a.session.activeLink, b.session.activeLink]).toEqual([direct.a, direct.b]);
  scheduler.advance(5000);
  const all = Array.from({ length: sent }, (_, number) => number);
  expect(a.messages).toEqual(all);
  expect(b.messages).toEqual(all);
});
