import { memoryLinkPair, seededRandom, VirtualScheduler, type MemoryLinkPair } from "@paceline/testkit";
import { Session, StripeFilter } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const MESSAGES = 10_000;
const MIGRATIONS = 100;
const options = {
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 5000,
  heartbeatMs: 1000,
  silenceMs: 1000,
};

function numbered(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

class Pair {
  readonly scheduler = new VirtualScheduler();
  readonly random = seededRandom(11);
  readonly heard: { a: number[]; b: number[] } = { a: [], b: [] };
  readonly silences: [number, boolean][] = [];
  readonly a = this.#session("a");
  readonly b = this.#session("b");
  #preference = 0;

  /**
   * Connects both sides by a new link, the most preferred one: of two or three sockets, or an unreliable one.
   */
  connect(width: number, isUnreliable: boolean): MemoryLinkPair[] {
    const { scheduler } = this;
    const settings = { delayMs: this.random.int(5, 80), loss: { kind: "uniform", ratio: 0.03 } } as const;
    const pairs = Array.from({ length: width }, () =>
      memoryLinkPair({ scheduler, random: this.random.fork(), settings, isUnreliable }),
    );
    const preference = (this.#preference += 1);
    for (const end of ["a", "b"] as const) {
      const link = pairs[0]![end];
      const stripes = new StripeFilter({ scheduler, first: link });
      for (const pair of pairs.slice(1)) stripes.add(pair[end]);
      this[end].attach(link, { ...options, preference });
    }
    return pairs;
  }

  #session(end: "a" | "b"): Session {
    return new Session({
      scheduler: this.scheduler,
      handlers: {
        onReliable: (payload) =>
          this.heard[end].push(new DataView(payload.buffer, payload.byteOffset).getUint32(0)),
        onSilence: (_, isSilent) => this.silences.push([this.scheduler.nowMs(), isSilent]),
      },
    });
  }
}

describe("a session that moves", () => {
  test(`${MIGRATIONS} times while ${MESSAGES} messages go each way: none lost, repeated or out of order`, () => {
    const pair = new Pair();
    const { scheduler, random } = pair;
    let links = pair.connect(1, false);
    scheduler.advance(500);
    let moves = 0;
    for (let number = 0; number < MESSAGES; number++) {
      pair.a.sendReliable(numbered(number));
      pair.b.sendReliable(numbered(number));
      scheduler.advance(5);
      if (number % (MESSAGES / MIGRATIONS) !== 50) continue;
      moves += 1;
      const old = links;
      // The new link comes before the old one ends, after it, or while it hangs half open, as after a cut
      // cable.
      const kind = random.int(0, 2);
      if (kind === 0) old.forEach((link) => link.cut());
      if (kind === 1) old[0]!.a.close(4003, "replaced");
      links = pair.connect(random.int(1, 3), random.bool(0.5));
      if (kind === 2) scheduler.after(200, () => old[0]!.a.close(4003, "replaced"));
    }
    scheduler.advance(20_000);
    const all = Array.from({ length: MESSAGES }, (_, index) => index);
    expect(moves).toBe(MIGRATIONS);
    expect(pair.heard.a).toEqual(all);
    expect(pair.heard.b).toEqual(all);
  });

  test("reports within a second and a half that its link is silent, and when it is heard again", () => {
    const pair = new Pair();
    const [link] = pair.connect(1, false);
    pair.scheduler.advance(10_000);
    expect(pair.silences).toEqual([]);
    const cutAtMs = pair.scheduler.nowMs();
    link!.change({ delayMs: 3000 });
    pair.scheduler.advance(2000);
    expect(pair.silences.map(([, isSilent]) => isSilent)).toEqual([true, true]);
    expect(pair.silences[1]![0] - cutAtMs).toBeLessThanOrEqual(1600);
    pair.scheduler.advance(4000);
    expect(pair.silences.filter(([, isSilent]) => !isSilent)).toHaveLength(2);
  });

  /** Attaches a link to one side that opens after 200 ms. The other side never sends over it. */
  function attachMute({ scheduler, random, a }: Pair): MemoryLinkPair {
    const settings = { delayMs: 20 } as const;
    const pair = memoryLinkPair({ scheduler, random: random.fork(), settings, isUnreliable: false });
    pair.b.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
    const start = pair.a.start.bind(pair.a);
    pair.a.start = (handlers) => void scheduler.after(200, () => start(handlers));
    a.attach(pair.a, { ...options, preference: 10 });
    return pair;
  }

  test("stays on a link that was heard again until the other side is heard over the newer one", () => {
    const pair = new Pair();
    const { scheduler, a, b } = pair;
    const [old] = pair.connect(1, false);
    scheduler.advance(1000);
    const mute = attachMute(pair);
    b.sendReliable(numbered(0));
    scheduler.advance(1000);
    expect(mute.a.state).toBe("open");
    expect(a.activeLink).toBe(old!.a);
    mute.b.close(4003, "a token that was used before");
    scheduler.advance(100);
    expect(a.activeLink).toBe(old!.a);
    const [accepted] = pair.connect(1, false);
    scheduler.advance(1000);
    expect(a.activeLink).toBe(accepted!.a);
  });

  test("leaves a link that was not heard again as soon as a newer one is open", () => {
    const pair = new Pair();
    const { scheduler, a } = pair;
    const [old] = pair.connect(1, false);
    scheduler.advance(1000);
    old!.change({ delayMs: 60_000 });
    scheduler.advance(200);
    const mute = attachMute(pair);
    scheduler.advance(199);
    expect(a.activeLink).toBe(old!.a);
    scheduler.advance(1);
    expect(a.activeLink).toBe(mute.a);
  });
});
