import { ConfigError, NetError } from "@paceline/protocol";
import { describe, expect, test } from "vitest";

class Engine {
  readonly power = 1;
}

describe("ConfigError", () => {
  test.each([
    [7, "7"],
    ["seven", '"seven"'],
    ["x".repeat(80), `"${"x".repeat(60)}…"`],
    [undefined, "undefined"],
    [null, "null"],
    [[1, 2], "an array"],
    [{ a: 1 }, "an object"],
    [Number.NaN, "NaN"],
    [Object.create(null), "an object"],
    [new Date(0), "a Date"],
    [new Map(), "a Map"],
    [new Float32Array(2), "a Float32Array"],
    [new Uint8Array(2), "a Uint8Array"],
    [new Engine(), "an Engine"],
    [Promise.resolve(), "a Promise"],
    [() => 1, "a function"],
  ])("prints the refused value: %o", (value, printed) => {
    const error = new ConfigError("tickHz", value, "1 to 255 Hz");
    expect(error.message).toBe(`tickHz: expected 1 to 255 Hz, got ${printed}`);
    expect(error).toMatchObject({ name: "ConfigError", field: "tickHz", expected: "1 to 255 Hz" });
  });
});

describe("NetError", () => {
  test("has a code, a cause, and a flag for retrying", () => {
    const cause = new Error("refused");
    const error = new NetError("match/unreachable", "no answer", { retryable: true, cause });
    expect(error).toMatchObject({ name: "NetError", code: "match/unreachable", retryable: true, cause });
    expect(error.message).toBe("no answer [match/unreachable]");
  });

  test("is not retryable by default", () => {
    expect(new NetError("match/full", "full").retryable).toBe(false);
  });
});
