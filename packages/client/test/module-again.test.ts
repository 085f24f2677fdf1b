import { describe, expect, test } from "vitest";
import { addressOfFailed, importAgain } from "../src/browser/module-again.js";

describe("a module that did not load", () => {
  test.each([
    ["TypeError: Failed to fetch dynamically imported module: https://a.example/x-1.js"],
    ["TypeError: error loading dynamically imported module: https://a.example/x-1.js"],
  ])("is found in the browser's message: %s", (words) => {
    expect(addressOfFailed(new TypeError(words.slice(11)))?.href).toBe("https://a.example/x-1.js");
  });

  test("is unknown if the browser gives no address, or nonsense", () => {
    for (const words of [
      "Importing a module script failed.",
      "dynamically imported module: https://[",
      "404",
    ]) {
      expect(addressOfFailed(new Error(words))).toBeUndefined();
    }
    expect(addressOfFailed(undefined)).toBeUndefined();
  });

  test("is refused if its address has another origin", async () => {
    await expect(importAgain(new URL("https://evil.example/x.js"), 2, "x")).rejects.toThrow("is not ours");
  });

  test("is loaded from another address, and refused if it lacks the export", async () => {
    const own = new URL("../src/browser/module-again.ts", import.meta.url);
    const again = await importAgain<{ importAgain: unknown }>(own, 2, "importAgain");
    expect(again.importAgain).toBeTypeOf("function");
    expect(again.importAgain).not.toBe(importAgain);
    await expect(importAgain<{ nothing: unknown }>(own, 3, "nothing")).rejects.toThrow("has no nothing");
  });
});
