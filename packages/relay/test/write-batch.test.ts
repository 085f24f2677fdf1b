import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { WriteBatch } from "../src/admission/write-batch.js";

/** Records what each call to the system would carry. */
function recorder(): { socket: Writable; calls: string[] } {
  const calls: string[] = [];
  const socket = new Writable({
    writev(chunks, done) {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join("+"));
      done();
    },
  });
  return { socket, calls };
}

const roundEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a batch of writes", () => {
  it("gives each socket at the end of the round all that was written to it", async () => {
    const batch = new WriteBatch();
    const [a, b] = [recorder(), recorder()];
    for (const text of ["1", "2", "3"]) {
      for (const { socket } of [a, b]) {
        batch.hold(socket);
        socket.write(text);
      }
    }
    expect([a.calls, b.calls]).toEqual([[], []]);
    await roundEnds();
    expect([a.calls, b.calls]).toEqual([["1+2+3"], ["1+2+3"]]);
    batch.hold(a.socket);
    a.socket.write("4");
    await roundEnds();
    expect(a.calls).toEqual(["1+2+3", "4"]);
  });

  it("holds nothing back when a socket ends or is gone", async () => {
    const batch = new WriteBatch();
    const [ended, gone] = [recorder(), recorder()];
    for (const { socket } of [ended, gone]) {
      batch.hold(socket);
      socket.write("last");
    }
    ended.socket.end();
    gone.socket.destroy();
    await roundEnds();
    expect(ended.calls).toEqual(["last"]);
    expect(gone.socket.destroyed).toBe(true);
  });
});
