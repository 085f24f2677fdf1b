/** Holds the alternative text of a picture against the page that the picture is taken of. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "@playwright/test";
import type { PageWindow, RacePage } from "./race-page.js";

const README = path.resolve(import.meta.dirname, "../README.md");
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

function altTextOf(picture: string): string {
  const [, text] =
    new RegExp(`!\\[([^\\]]+)\\]\\(docs/images/${picture}\\)`).exec(readFileSync(README, "utf8")) ?? [];
  if (text === undefined) throw new Error(`README.md shows no ${picture}`);
  return text;
}

/** Call it before the screenshot. Checks the claims that a program can see: panel, message, direct paths. */
export async function assertAltText(page: RacePage, picture: string): Promise<void> {
  const text = altTextOf(picture);
  const seen = await page.browser.evaluate(() => {
    const panel = document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("aside");
    const { peers } = (window as unknown as PageWindow).paceline.room;
    return {
      hasPanel: panel?.checkVisibility() === true,
      message: document.querySelector<HTMLElement>(".toast")?.innerText ?? "",
      directPeers: peers.filter(({ path: taken }) => taken === "direct").length,
    };
  });
  expect({ text, panel: seen.hasPanel }).toEqual({ text, panel: /\bpanel\b/i.test(text) });
  if (text.includes("a direct path died")) expect(seen.message).toContain("direct path died");
  if (text.includes("what took over")) expect(seen.message).toMatch(/took over in \d+ ms\. Largest step/);
  const [, count] = /(\w+) players are reached directly/.exec(text) ?? [];
  if (count !== undefined) expect(NUMBERS[seen.directPeers]).toBe(count);
}
