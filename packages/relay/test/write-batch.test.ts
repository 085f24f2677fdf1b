import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { WriteBatch, type BatchedSocket } from "../src/admission/write-batch.js";

/** Records the data of each system call. */
function recorder(): BatchedSocket & { readonly calls: string[] } {
  const calls: string[] = [];
  const socket = new Writable({
    writev(chunks, done) {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join("+"));
      done();
    },
  });
  return { socket, calls, writtenIn: 0 };
}

const roundEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a batch of writes", () => {
  it("sends the first write of a round at once, and the others to the same socket in one call at its end", async () => {
    const batch = new WriteBatch();
    const [a, b] = [recorder(), recorder()];
    for (const text of ["1", "2", "3"]) {
      for (const each of [a, b]) {
        batch.hold(each);
        each.socket.write(text);
      }
    }
    expect([a.calls, b.calls]).toEqual([["1"], ["1"]]);
    await roundEnds();
    expect([a.calls, b.calls]).toEqual([
      ["1", "2+3"],
      ["1", "2+3"],
    ]);
    batch.hold(a);
    a.socket.write("4");
    expect(a.calls).toEqual(["1", "2+3", "4"]);
    await roundEnds();
  });

  it("holds nothing back when a socket ends or is closed", async () => {
    const batch = new WriteBatch();
    const [ended, gone] = [recorder(), recorder()];
    for (const each of [ended, gone]) {
      for (const text of ["first", "last"]) {
        batch.hold(each);
        each.socket.write(text);
      }
    }
    ended.socket.end();
    gone.socket.destroy();
    await roundEnds();
    expect(ended.calls).toEqual(["first", "last"]);
    expect(gone.socket.destroyed).toBe(true);
  });
});
