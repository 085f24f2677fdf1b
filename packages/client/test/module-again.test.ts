import { describe, expect, test } from "vitest";
import { addressOfFailed, importAgain } from "../src/browser/module-again.js";

describe("a module that did not load", () => {
  test.each([
    ["TypeError: Failed to fetch dynamically imported module: https://a.example/x-1.js"],
    ["TypeError: error loading dynamically imported module: https://a.example/x-1.js"],
  ])("is named by what the browser says: %s", (words) => {
    expect(addressOfFailed(new TypeError(words.slice(11)))?.href).toBe("https://a.example/x-1.js");
  });

  test("is not known where the browser does not say, or says nonsense", () => {
    for (const words of [
      "Importing a module script failed.",
      "dynamically imported module: https://[",
      "404",
    ]) {
      expect(addressOfFailed(new Error(words))).toBeUndefined();
    }
    expect(addressOfFailed(undefined)).toBeUndefined();
  });

  test("is not taken from anywhere but where this code came from", async () => {
    await expect(importAgain(new URL("https://evil.example/x.js"), 2, "x")).rejects.toThrow("is not ours");
  });

  test("is taken by another address, if it has what is wanted", async () => {
    const own = new URL("../src/browser/module-again.ts", import.meta.url);
    const again = await importAgain<"importAgain", { importAgain: unknown }>(own, 2, "importAgain");
    expect(again.importAgain).toBeTypeOf("function");
    expect(again.importAgain).not.toBe(importAgain);
    await expect(importAgain(own, 3, "nothing")).rejects.toThrow("has no nothing");
  });
});
