import { OriginPolicy, silentLog, type AllowedOrigins } from "@paceline/relay";
import { describe, expect, test } from "vitest";
import { serverOptions } from "../src/server/server-options.js";

interface Page {
  readonly origin?: string;
  readonly host: string;
}

interface Settings {
  readonly allowedOrigins?: AllowedOrigins;
  readonly publicHosts?: readonly string[];
}

function refusalOf({ origin, host }: Page, settings: Settings = {}): string | undefined {
  const policy = new OriginPolicy({
    allowedOrigins: [],
    publicHosts: [],
    ...settings,
    log: silentLog,
    clock: { nowMs: () => 0 },
  });
  return policy.refusalOf({ headers: { host, ...(origin !== undefined && { origin }) } })?.message;
}

/** The option and the flag that a refusal names, and their value. */
function cureIn(message: string): { settings: Settings; flags: string[] } {
  const [, option, list, flag] = /^(\w+): (\[.*\]) is missing .*\((--[\w-]+)\)$/.exec(message)!;
  const values = JSON.parse(list!) as string[];
  return { settings: { [option!]: values }, flags: values.flatMap((value) => [flag!, value]) };
}

const pages: readonly Page[] = [
  "https://game.example",
  "https://game.example:8443",
  "http://192.168.1.9:5173",
  "capacitor://localhost",
  "ionic://localhost",
  "tauri://localhost",
  "http://tauri.localhost",
  "app://.",
  "app://-",
  "app://my-game",
  "file://",
  "null",
  "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
  "moz-extension://4b0d5a0e-2c6c-4f0a-9c1b-1d2e3f4a5b6c",
  "safari-web-extension://4B0D5A0E-2C6C-4F0A-9C1B-1D2E3F4A5B6C",
].map((origin) => ({ origin, host: "10.0.0.7:8787" }));
const names: readonly Page[] = ["play.example.com", "play.example.com:8787", "game_1.lan", "x"].map(
  (host) => ({
    host,
  }),
);

describe("the setting that a refusal names admits the page", () => {
  test.each([...pages, ...names])("%j", (page) => {
    const { settings, flags } = cureIn(refusalOf(page)!);
    expect(refusalOf(page, settings)).toBeUndefined();
    const { relay } = serverOptions(flags, {})!;
    expect(refusalOf(page, relay)).toBeUndefined();
    // It admits no other page.
    const other = { ...page, origin: "https://evil.example" };
    expect(refusalOf(other, settings)).toContain("evil.example");
  });
});

test.each([
  "https://game.example/",
  "https://game.example/path",
  "HTTPS://game.example",
  "https://game.example:443",
  "capacitor://localhost/",
  "capacitor://localhost?x",
  "capacitor:localhost",
  "://localhost",
  "none",
  "javascript:alert(1)",
  "a b://c",
  "",
])("a text that no browser sends as an origin is refused: %j", (origin) => {
  expect(() => refusalOf({ host: "localhost" }, { allowedOrigins: [origin] })).toThrow(
    /^allowedOrigins: expected "\*" or a list of origins such as "https:\/\/play\.example\.com" or "capacitor:\/\/localhost"/,
  );
});
