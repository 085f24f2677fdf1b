import {
  Room,
  angle,
  defineEntity,
  defineInput,
  flag,
  scalar,
  uint,
  vec2,
  type Player,
} from "@paceline/server";
import { VirtualPage, roomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, describe, expect, test } from "vitest";

const Drive = defineInput({ step: uint({ range: [0, 65_535] }), isOn: flag() });
const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01 }),
    speed: scalar({ range: [0, 100], precision: 0.1 }),
  },
  { motion: "velocity" },
);

const Ball = defineEntity(
  "ball",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.05, unit: "m" }),
    velocity: vec2({ range: [-50, 50], precision: 0.1, unit: "m/s" }),
    heading: angle({ precision: 0.02, unit: "rad" }),
  },
  { motion: "velocity" },
);

interface Rolling {
  position: { x: number; y: number };
  velocity: { x: number; y: number };
  heading: number;
}

/** Simulates one tick of a ball in circles of a changing size. */
function roll(ball: Rolling, { isOn }: { readonly isOn: boolean }, seconds: number): void {
  ball.heading += (isOn ? 0.7 : -0.4) * seconds;
  ball.velocity.x += (9 * Math.cos(ball.heading) - ball.velocity.x) * seconds;
  ball.velocity.y += (9 * Math.sin(ball.heading) - ball.velocity.y) * seconds;
  ball.position.x += ball.velocity.x * seconds;
  ball.position.y += ball.velocity.y * seconds;
}

class BallRoom extends Room {
  override readonly inputs = Drive;
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  push = 0;
  #ball: Rolling | undefined;

  override onJoin(player: Player<typeof Drive>): void {
    this.#ball = this.spawn(Ball, {}, player);
  }

  override onTick(seconds: number): void {
    for (const player of this.players.values()) if (this.#ball) roll(this.#ball, player.input, seconds);
    if (this.#ball) this.#ball.position.x += this.push;
    this.push = 0;
  }
}

class DriveRoom extends Room {
  override readonly inputs = Drive;
  override readonly entities = [Car];
  override readonly tickHz = 60;
  readonly taken: number[] = [];
  #car: { position: { x: number; set(x: number, y: number): void } } | undefined;

  override onJoin(player: Player<typeof Drive>): void {
    this.#car = this.spawn(Car, {}, player);
  }

  override onTick(seconds: number): void {
    for (const player of this.players.values()) {
      this.taken.push(player.input.step);
      if (player.input.isOn) this.#car?.position.set(this.#car.position.x + 30 * seconds, 0);
    }
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

async function driven(framesPerSecond: number, network = { delayMs: 30 }) {
  const stage = roomStage(DriveRoom);
  stop = () => stage.stop();
  const page = new VirtualPage({ scheduler: stage.scheduler, framesPerSecond });
  const player = await stage.join({ network, client: { page } });
  return { stage, page, player };
}

/** Starts a game loop that numbers its steps. */
function play({ room }: StagePlayer): { steps: number; seconds: Set<number> } {
  const input = room.input(Drive);
  const played = { steps: 0, seconds: new Set<number>() };
  room.loop((seconds) => {
    played.steps += 1;
    played.seconds.add(seconds);
    input.step = played.steps;
    input.isOn = true;
  });
  return played;
}

describe("a room of 60 ticks a second", () => {
  test.each([30, 60, 144])(
    "consumes exactly one input for each step of a loop of %i frames a second",
    async (framesPerSecond) => {
      const { stage, player } = await driven(framesPerSecond);
      const played = play(player);
      // Wait until inputs arrive just in time.
      await stage.advance(4000);
      const { taken } = stage.room;
      const [stepsBefore, ticksBefore] = [played.steps, taken.length];
      await stage.advance(20_000);
      const late = taken.slice(ticksBefore);
      expect(late.length).toBeGreaterThanOrEqual(1199);
      // Every step's input, each once, in order.
      expect(late).toEqual(late.map((_, index) => late[0]! + index));
      expect(Math.abs(played.steps - stepsBefore - 1200)).toBeLessThanOrEqual(12);
      expect(played.seconds).toEqual(new Set([1 / 60]));
    },
  );

  test("gets inputs from a hidden page too, and the last one again from a loop that stands still", async () => {
    const { stage, page, player } = await driven(60);
    const played = play(player);
    await stage.advance(4000);
    page.hide(true);
    await stage.advance(1000);
    const { taken } = stage.room;
    const ticksBefore = taken.length;
    await stage.advance(10_000);
    const hidden = taken.slice(ticksBefore);
    expect(hidden).toEqual(hidden.map((_, index) => hidden[0]! + index));
    expect(played.steps).toBeGreaterThan(800);
  });

  test("sends the inputs of a game without a loop by a timer", async () => {
    const { stage, player } = await driven(60);
    const input = player.room.input(Drive);
    input.step = 7;
    await stage.advance(1000);
    expect(stage.room.taken.at(-1)).toBe(7);
    const stopLoop = player.room.loop(() => (input.step = 8));
    await stage.advance(1000);
    expect(stage.room.taken.at(-1)).toBe(8);
    stopLoop();
    input.step = 9;
    await stage.advance(1000);
    expect(stage.room.taken.at(-1)).toBe(9);
  });

  test("refuses advance, since its states belong to steps", async () => {
    const { player } = await driven(60);
    expect(() => player.room.advance()).toThrow(
      "advance: expected room.loop(step) instead, which advances itself: this room runs in steps, its authority has 60 per second",
    );
  });

  test("rounding hardly corrects a right prediction, and a wrong one is corrected", async () => {
    const stage = roomStage(BallRoom);
    stop = () => stage.stop();
    const { room } = await stage.join({ network: { delayMs: 40 } });
    const input = room.input(Drive);
    room.loop(() => (input.isOn = Math.sin(stage.scheduler.nowMs() / 900) > 0));
    const prediction = room.predict(Ball, Drive, roll);
    await stage.advance(3000);
    const before = prediction.stats;
    const sizesM = new Set<number>();
    for (let ms = 0; ms < 20_000; ms += 5) {
      await stage.advance(5);
      sizesM.add(prediction.stats.correctionM);
    }
    expect(prediction.stats.states - before.states).toBeGreaterThan(50);
    // An input is on its way for 40 ms and waits for its tick: at most three ticks of 16.7 ms.
    expect(prediction.stats.leadMs).toBeGreaterThan(40);
    expect(prediction.stats.leadMs).toBeLessThan(90);
    // The prediction began with a rounded state. Corrections reduce that error, each by at most the rounding
    // error of a state.
    expect(Math.max(...sizesM)).toBeLessThan(0.025 * Math.SQRT2);
    expect(sizesM.size).toBeLessThan((prediction.stats.states - before.states) / 2);
    stage.room.push = 0.3;
    await stage.advance(500);
    expect(prediction.stats.worstCorrectionM).toBeGreaterThan(0.25);
  });

  test("a kind that has no motion cannot be predicted: the call throws at once, and nothing is sent", async () => {
    const { stage, player } = await driven(60);
    const Sign = defineEntity("sign", { height: uint({ range: [0, 9] }) });
    const predict = (): unknown => player.room.predict(Sign, Drive, () => undefined);
    expect(predict).toThrow(expect.objectContaining({ name: "ConfigError", field: "sign.motion" }));
    expect(predict).toThrow('sign.motion: expected a motion to predict, got "hold"');
    await stage.advance(500);
    expect(stage.room.taken).toEqual(stage.room.taken.map(() => 0));
    const noStep = undefined as unknown as () => void;
    expect(() => player.room.predict(Car, Drive, noStep)).toThrow("step: expected a function");
  });

  test("a predicted car moves evenly between the steps, at any frame rate", async () => {
    const { stage, page, player } = await driven(144);
    const { room } = player;
    play(player);
    room.predict(Car, Drive, (car, { isOn }, seconds) => {
      if (isOn) car.position.x += 30 * seconds;
    });
    await stage.advance(3000);
    const shown: { atMs: number; x: number }[] = [];
    const draw = (atMs: number): void => {
      for (const { isMine, shown: now } of room.entities(Car))
        if (isMine) shown.push({ atMs, x: now.position.x });
      page.frames.request(draw);
    };
    page.frames.request(draw);
    await stage.advance(3000);
    const jumps = shown
      .slice(1)
      .map(({ atMs, x }, index) => x - shown[index]!.x - (atMs - shown[index]!.atMs) * 0.03);
    expect(shown.length).toBeGreaterThan(400);
    // The car moves 0.21 units in a frame. A step that shows at once, or late, would be off by half a unit.
    expect(Math.max(...jumps.map(Math.abs))).toBeLessThan(0.1);
  });
});
