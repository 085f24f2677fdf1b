import { readFileSync } from "node:fs";
import { defineEntity, vec2, type Client, type ClientOptions, type Room } from "@paceline/client";
import { VirtualPage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const README = new URL("../../../README.md", import.meta.url);
/** Bytes per second of one of two such cars when frames of 60 Hz were stamped with ticks instead of times. */
const BYTES_BEFORE = 371;

/** Returns the README's first example without its import. The imported names become arguments. */
function example(): string {
  const [, code = ""] = /```ts\n(.*?)```/s.exec(readFileSync(README, "utf8")) ?? [];
  const [, names = "", body = ""] = /^import \{ (.*?) \} from "@paceline\/client";\n(.*)$/s.exec(code) ?? [];
  expect(names.split(", ").toSorted()).toEqual(["Client", "defineEntity", "vec2"]);
  return body;
}

/** A reader who runs the example on a screen of that frame rate. */
class Reader {
  readonly page: VirtualPage;
  readonly logged: { readonly atMs: number; readonly values: readonly unknown[] }[] = [];
  readonly tables: unknown[] = [];
  room: Room | undefined;
  readonly stage: RelayStage;
  #Car: ReturnType<typeof defineEntity> | undefined;

  constructor(stage: RelayStage, framesPerSecond: number) {
    this.stage = stage;
    const { scheduler } = stage;
    this.page = new VirtualPage({ scheduler, framesPerSecond, phaseMs: 5.3, workMs: () => 1 });
  }

  async run(): Promise<void> {
    const { stage, page, logged, tables } = this;
    const note = (room: Room): void => void (this.room = room);
    // The example calls it with `new`. It returns a client of the stage.
    const client = function stagedClient(_url: string, options: ClientOptions): Client {
      const made = stage.player({}, { page, ...options }).client;
      const join = made.joinOrCreate.bind(made);
      made.joinOrCreate = async (...call) => {
        const room = await join(...call);
        note(room);
        return room;
      };
      return made;
    };
    const define: typeof defineEntity = (...definition) => {
      const kind = defineEntity(...definition);
      this.#Car = kind as never;
      return kind;
    };
    const console = {
      log: (...values: unknown[]) => logged.push({ atMs: stage.scheduler.nowMs(), values }),
      table: (rows: unknown) => tables.push(rows),
    };
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const code = new AsyncFunction("Client", "defineEntity", "vec2", "console", example());
    await stage.until(code(client, define, vec2, console) as Promise<void>);
  }

  /** Present position of its own car: the one of the last frame, plus 30 units a second since. */
  get truth(): number {
    const [mine] = [...this.room!.entities(this.#Car!)].filter(({ isMine }) => isMine);
    const { x } = (mine as unknown as { readonly position: { readonly x: number } }).position;
    return x + ((this.stage.scheduler.nowMs() - this.page.frames.startedAtMs()!) * 30) / 1000;
  }
}

test.each([30, 60, 120, 144, 240])(
  "README's example shows the same motion at %i frames a second",
  async (hz) => {
    const stage = new RelayStage();
    const owner = new Reader(stage, hz);
    const viewer = new Reader(stage, 60);
    await owner.run();
    await viewer.run();
    await stage.advance(3000);
    const before = stage.bytesReceived(0);
    const errors: number[] = [];
    for (let sample = 0; sample < 1000; sample++) {
      viewer.logged.length = 0;
      await stage.advance(10);
      for (const { atMs, values } of viewer.logged) {
        const elapsedMs = stage.scheduler.nowMs() - atMs;
        const [id, x] = values as number[];
        if (id === viewer.room!.myNumber * 0x10000) continue;
        expect(id).toBe(owner.room!.myNumber * 0x10000);
        errors.push(Math.abs(x! - (owner.truth - elapsedMs * 0.03)));
      }
    }
    errors.sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(590);
    expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThan(0.5);
    expect((stage.bytesReceived(0) - before) / 10).toBeLessThan(1.1 * BYTES_BEFORE);
    expect(owner.tables).toEqual([expect.arrayContaining([expect.objectContaining({ about: "states" })])]);
    owner.room!.leave();
    viewer.room!.leave();
  },
);
