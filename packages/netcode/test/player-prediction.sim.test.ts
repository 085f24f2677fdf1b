import { NetworkSimulator, VirtualScheduler, seededRandom, type NetworkSettings } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  PlayerAuthority,
  PlayerPrediction,
  type BodyLayout,
  type Components,
  type Correction,
} from "../src/index.js";

interface Drive {
  readonly throttle: number;
}

const layout: BodyLayout = { position: 0, dimensions: 2, velocity: 2 };
const tickSeconds = 1 / 60;

function step(state: Components, { throttle }: Drive, seconds: number): void {
  state[2]! += (throttle * 8 - state[2]! * 0.3) * seconds;
  state[0]! += state[2]! * seconds;
}

/** Both sides over a network, the player in frames of 60 per second by a clock that is 0.5 % fast. */
function play(
  settings: Partial<NetworkSettings>,
  seconds: number,
  sleep = { from: Infinity, until: Infinity },
) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(5);
  const start = Float64Array.of(0, 0, 0, 0);
  const flying = new Map<number, () => void>();
  const path = (): ((arrive: () => void) => void) => {
    const deliver = (packet: Uint8Array): void => flying.get(new DataView(packet.buffer).getUint32(0))?.();
    const simulator = new NetworkSimulator({ scheduler, random: random.fork(), settings, deliver });
    return (arrive) => {
      const packet = new Uint8Array(4);
      new DataView(packet.buffer).setUint32(0, flying.size);
      flying.set(flying.size, arrive);
      simulator.send(packet);
    };
  };
  const [up, down] = [path(), path()];
  const authority = new PlayerAuthority<Drive>({ step, tickSeconds, idle: { throttle: 0 } }, start, 0);
  const prediction = new PlayerPrediction<Drive>(
    {
      layout,
      step,
      tickSeconds,
      convergence: DEFAULT_CONVERGENCE,
      send: (inputs) => {
        const copy = [...inputs];
        up(() => authority.receive(copy));
      },
    },
    start,
    0,
  );
  const now = (): number => (scheduler.nowMs() / 1000) * 1.005;
  const corrections: Correction[] = [];
  scheduler.every(1000 / 60, () => {
    if (now() >= sleep.from && now() < sleep.until) return;
    prediction.update(now(), () => ({ throttle: Math.sin(now() * 2) > 0 ? 1 : -0.5 }));
  });
  scheduler.after((settings.delayMs ?? 0) + 60, () => {
    scheduler.every(1000 / 60, () => {
      const update = authority.advance();
      if (update.tick % 3 !== 0) return;
      const copy = { ...update, state: Float64Array.from(update.state) };
      down(() => {
        const correction = prediction.receive(copy, now());
        if (correction) corrections.push(correction);
      });
    });
  });
  scheduler.advance(seconds * 1000);
  return { prediction, authority, corrections };
}

describe("a player under a server's authority", () => {
  test("is never corrected in steady driving, and keeps the server's pace", () => {
    const { corrections, authority } = play({ delayMs: 75 }, 60);
    expect(corrections.length).toBeGreaterThan(1000);
    expect(Math.max(...corrections.map(({ distanceM }) => distanceM))).toBe(0);
    expect(authority.counts.missing).toBeLessThan(5);
  });

  test("is corrected by less than 2 cm (p95) at 150 ms round trip with jitter and 2 % loss", () => {
    const settings = { delayMs: 75, jitterMs: 5, loss: { kind: "uniform", ratio: 0.02 } } as const;
    const sizes = play(settings, 60)
      .corrections.map(({ distanceM }) => distanceM)
      .sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length * 0.95)]).toBeLessThan(0.02);
  });

  test("who slept for two seconds goes on, and both agree again", () => {
    const { corrections, prediction, authority } = play({ delayMs: 50 }, 30, { from: 5, until: 7 });
    const late = corrections.slice(-60).map(({ distanceM }) => distanceM);
    expect(Math.max(...late)).toBeLessThan(0.02);
    expect(prediction.tick).toBeGreaterThan(authority.tick);
  });
});
