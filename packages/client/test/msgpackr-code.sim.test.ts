import type { OwnedEntity, Room } from "@paceline/client";
import { afterEach, describe, expect, test, vi } from "vitest";

const LATE = "../src/doors/msgpackr.js";

afterEach(async () => {
  await vi.dynamicImportSettled();
  vi.doUnmock(LATE);
  vi.resetModules();
});

/** Two pages that have not loaded msgpackr, whose rooms exchange numbers in each step. */
async function conversation() {
  vi.resetModules();
  const files = { areThere: true, asked: 0 };
  vi.doMock(LATE, (original) => {
    files.asked += 1;
    if (!files.areThere) throw new Error("404");
    return original();
  });
  const { RelayStage } = await import("./relay-stage.js");
  const { defineEntity, vec2, smallCodec, useValueCodec } = {
    ...(await import("@paceline/client")),
    ...(await import("@paceline/protocol")),
  };
  const stage = new RelayStage();
  // The relay of this process has brought msgpackr, which pages do not have at first.
  const small = { written: 0, read: 0 };
  useValueCodec({
    write: (value) => ((small.written += 1), smallCodec.write(value)),
    read: (...bytes) => ((small.read += 1), smallCodec.read(...bytes)),
  });
  const [a, b] = [await stage.join(), await stage.join()] as [Room, Room];
  const Sign = defineEntity("sign", { position: vec2({ range: [-10, 10], precision: 0.01 }) });
  const received: unknown[] = [];
  b.onMessage("number", (message) => received.push(message));
  b.onRequest("double", (message) => 2 * Number(message));
  const answers: unknown[] = [];
  let sent = 0;
  /** Advances virtual time, and real time for the fetches. */
  const pass = async (seconds: number): Promise<void> => {
    for (let step = 0; step < seconds * 10; step++) {
      a.send("number", { number: sent, text: "n".repeat(sent % 40) });
      void a.request("double", sent, a.peers[0]).then((answer) => answers.push(answer));
      sent += 1;
      await stage.advance(100);
    }
    await vi.dynamicImportSettled();
  };
  const showEntity = (): OwnedEntity => {
    for (const room of [a, b]) room.entities(Sign);
    return a.spawn(Sign) as unknown as OwnedEntity;
  };
  /** All messages have arrived in order, the answers too. */
  const expectOrder = async (): Promise<void> => {
    await stage.advance(1000);
    const numbers = Array.from({ length: sent }, (_, number) => number);
    expect(received).toEqual(numbers.map((number) => ({ number, text: "n".repeat(number % 40) })));
    expect(answers).toEqual(numbers.map((number) => 2 * number));
  };
  return { stage, a, b, files, small, pass, showEntity, expectOrder };
}

describe("msgpackr", () => {
  test("is fetched after the first state, and takes over in the middle of a conversation", async () => {
    const { a, b, files, small, pass, showEntity, expectOrder } = await conversation();
    await pass(3);
    expect(files.asked).toBe(0);
    showEntity();
    await pass(3);
    expect(files.asked).toBe(1);
    const before = { ...small };
    expect(before.written).toBeGreaterThan(60);
    expect(before.read).toBeGreaterThan(60);
    await pass(3);
    expect(small).toEqual(before);
    await expectOrder();
    expect([a.state, b.state, a.drops.total, b.drops.total]).toEqual(["joined", "joined", 0, 0]);
  });

  test("that does not load leaves the room as it is, and is fetched again a minute later", async () => {
    const { stage, a, b, files, small, pass, showEntity, expectOrder } = await conversation();
    const problems: unknown[] = [];
    for (const room of [a, b]) room.onError((error) => problems.push(error));
    files.areThere = false;
    showEntity();
    await pass(3);
    // A door tries three times, with pauses in real time.
    const asked = 3;
    await vi.waitFor(() => expect(files.asked).toBe(asked), 10_000);
    await vi.dynamicImportSettled();
    const { written } = small;
    await pass(3);
    expect(small.written).toBeGreaterThan(written);
    expect(files.asked).toBe(asked);
    files.areThere = true;
    await stage.advance(61_000);
    await pass(3);
    expect(files.asked).toBeGreaterThan(asked);
    const before = { ...small };
    await pass(3);
    expect(small).toEqual(before);
    await expectOrder();
    expect([a.state, b.state, problems]).toEqual(["joined", "joined", []]);
  });
});
