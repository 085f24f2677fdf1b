import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { OriginPolicy, silentLog, type AllowedOrigins } from "@paceline/relay";
import { afterEach, describe, expect, test } from "vitest";
import { publicNames } from "../../../tools/public-names.mjs";
import { fixedWords, sentences, sentencesOf } from "../../../tools/sentences.mjs";
import { serverOptions, usageOf } from "../src/server/server-options.js";
import { cleanUp, trials, triedElsewhere } from "./tried-cures.js";

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

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Names of the web, of Node and of products. */
const FOREIGN = new Set([
  ...["requestAnimationFrame", "performance", "now", "WebSocket", "WebSockets", "AbortSignal"],
  ...["JavaScript", "ArkType", "getItem", "setItem", "Uint8Array", "f32", "gz"],
]);
/** Flags of other programs. */
const FOREIGN_FLAGS = new Set(["ssr", "outDir"]);

/** Returns the flags, imports and names of the API in a sentence. What is put in at run time is left out. */
function namesIn(sentence: string): { flags: string[]; imports: string[]; names: string[] } {
  const fixed = fixedWords(sentence).replaceAll(/https?:\/\/\S+|[\w.]+\.com\b|\w+\(s\)/g, " ");
  const all = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([whole, part]) => part ?? whole);
  const imports = all(fixed, /@paceline\/[\w/-]+/g);
  const flags = all(fixed, /(?<![\w-])--([a-z][\w-]*)/g);
  const text = fixed.replaceAll(/@paceline\/[\w/-]+|--[\w-]+/g, " ");
  const paths = all(text, /\b[a-z]\w*(?:\.[a-z]\w*)+\b/g).flatMap((each) => each.split("."));
  const words = [
    // camelCase, PascalCase, calls, keys of objects, and what stands between backticks.
    /\b[a-z]+(?:[A-Z][a-z0-9]*)+\b/g,
    /\b(?:[A-Z][a-z0-9]+){2,}\b/g,
    /\b[a-z]\w*(?=\()/g,
    /\{ (\w+):/g,
    /`(\w+)/g,
  ].flatMap((pattern) => all(text.replaceAll(/\b[a-z]\w*(?:\.[a-z]\w*)+\b/g, " "), pattern));
  return { flags, imports, names: [...paths, ...words] };
}

const VERBS =
  "add|ask|await|call|change|check|choose|copy|create|declare|define|despawn|export|find|fix|give|import|install|join|" +
  "keep|leave|let|list|load|look|make|mark|move|name|open|pass|pick|put|raise|read|remove|rename|repeat|replace|restart|" +
  "return|run|save|say|see|send|serve|set|show|sign|spawn|split|spread|start|stop|store|take|try|turn|update|upgrade|use|" +
  "wait|wrap|write";
/** A verb that tells somebody to do something: at the start, after a colon or comma, or after another one. */
const ADVICE = new RegExp(
  `(?:^|[:;,(] |\\bor |\\bthen |\\band )(?:${VERBS})\\b(?! (?:of|is|are|was|has))`,
  "i",
);

/** Sentences that name something or have a verb of advice, by the reason why there is nothing to try. */
const nothingToTry: Readonly<Record<string, readonly string[]>> = {
  "a person does it: another machine, another build, another account": [
    "no answer from ${serverUrl}: start the server, or check address and port",
    "the server answered with status ${status}, not as Paceline does: check address, port and proxy",
    "the link did not open: the server is gone, or a proxy lets no WebSocket through",
    "the server speaks version ${version}, not ${PROTOCOL_VERSION}: update the older of the two",
    "this server speaks ${WEBSOCKET_PROTOCOL}: update the older of the two, client or server",
    "this server speaks version ${PROTOCOL_VERSION} of the protocol: update the older of the two",
    '${who} describes "${name}" differently (${how}): load the same build of the game everywhere',
    "the room takes other inputs: load the same build of the game everywhere",
    'the room has no "${name}" that this page knows: load the same build of the game everywhere',
    "the room is of ${named(theirs)}, this page of ${named(mine)}: load the page again",
    "the room has no number for another page: try again in a minute",
    "Links are WebSockets. A proxy has to pass on the headers Upgrade and Connection.\n",
    "cannot open ${directory}: ${by}: end that process, or choose another directory",
    "end that process, or choose another file",
    "choose another directory",
    "raise its limit (ulimit -n)",
    "look at the system's log",
  ],
  "it says what a value may be, in the words of its field": [
    "a WebSocket constructor",
    "stun:, stuns:, turn: or turns: and a host",
    "turn-secret: expected the secret of the TURN servers, got none",
    "seat must have a session and a token of 1 to ${MAX_MATCH_TOKEN_CHARACTERS} characters, and ifAway",
    "authToken must be text of at most ${MAX_AUTH_CHARACTERS} characters",
    "above 0, at most maxMs, ${maxMs} ms",
    "rankOf returned ${String(rank)}: expected a finite number",
    "perSecond, most",
    "none, unless interest.scheme is an aura()",
    "hexagons(), quadtree() or aura()",
    "a Uint8Array",
    'data: no trace in "${folder}", which is a NAME.json beside a NAME.f32.gz',
    "game: the room's authority decides who owns what: name the file that says playerEntities",
  ],
  "it tells what is, or is a part of another sentence": [
    "Open sockets",
    "Open rooms with an authority",
    "interest.relevant failed: the entity is hidden from the player",
    "interest.relevant takes too long for a step: some players get their states a step later",
    "interest.cellVisible failed: the cell is hidden",
    "more entities near a player than interest.maxEntities: it sees the most important ones",
    "stateBytesPerSecond is too small for what is near a player, even at the slowest rate",
    "`tickHz` says",
    "authToken: ${words}",
    "TURN over ",
    "${states}WebSocket to the server, relayed from there",
    "the WebSocket is gone; WebRTC carries everything until there is another one",
    "no WebRTC to the server, WebSockets only",
    "advance(${atMs}) goes back: it was ${this.#latestAtMs} before; ${instead}",
    "advance(${atMs}) ${what}, now is ${nowMs} ms: ${instead}",
    "take inputs",
    "what a WebSocket loses arrives late",
    "list saved rooms",
    "remove a saved room",
    "save a room",
    "read a saved room",
    "list did not return an array of texts",
    "load did not return an array of Uint8Array",
    "onSave failed",
    "the room was restored: take the seat again",
    'TURN server ${url.split("?")[0]}: ${errorCode} ${errorText}',
  ],
};

/** Texts without those of `--help`. */
const said = sentences().filter(({ text }) => !/\n {2}|^paceline dev/.test(text));
const naming = said.filter(({ text }) => Object.values(namesIn(text)).some((found) => found.length > 0));

test("the scan sees flags, imports, options, methods and advice in errors of any shape", () => {
  const source = `
    throw new Error("choose another with --prot, as " + "room.advence() says");
    const why = { a: \`\${count} players: try { rum: 5 } of "@paceline/clint"\` };
    const text = isBad ? "use maxPlayrs" : "fine";`;
  const found = sentencesOf("a.ts", source).map(({ text }) => ({ text, ...namesIn(text) }));
  expect(found).toEqual([
    {
      text: "choose another with --prot, as room.advence() says",
      ...{ flags: ["prot"], imports: [], names: ["room", "advence"] },
    },
    {
      text: '${count} players: try { rum: 5 } of "@paceline/clint"',
      ...{ flags: [], imports: ["@paceline/clint"], names: ["rum"] },
    },
    { text: "use maxPlayrs", flags: [], imports: [], names: ["maxPlayrs"] },
  ]);
  expect(found.every(({ text }) => ADVICE.test(text))).toBe(true);
});

describe("what a sentence names", () => {
  test("as a flag, is an option of the command line", () => {
    const usage = usageOf("paceline start");
    const unknown = naming.flatMap(({ text, place }) =>
      namesIn(text)
        .flags.filter((flag) => !FOREIGN_FLAGS.has(flag) && !usage.includes(`  --${flag}`))
        .map((flag) => `${place}: --${flag}`),
    );
    expect(unknown).toEqual([]);
  });

  test("as an import, is an entry of a package", () => {
    for (const { text } of naming) {
      for (const name of namesIn(text).imports) {
        const [, scope, entry] = /^@paceline\/([\w-]+)(.*)$/.exec(name)!;
        const { exports } = JSON.parse(
          readFileSync(path.join(ROOT, `packages/${scope}/package.json`), "utf8"),
        ) as { exports: object };
        expect(Object.keys(exports)).toContain(`.${entry}`);
      }
    }
  });

  test("as an option, a method or a type, is public", () => {
    const known = publicNames();
    const unknown = naming.flatMap(({ text, place }) =>
      namesIn(text)
        .names.filter((name) => !known.has(name) && !FOREIGN.has(name))
        .map((name) => `${place}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("a cure that a sentence names", () => {
  afterEach(cleanUp);

  test("is tried, here or in another test", () => {
    const tried = [trials, triedElsewhere].flatMap((table) => Object.keys(table));
    const known = new Set([...tried, ...Object.values(nothingToTry).flat()]);
    const advising = new Map(
      said
        .filter((each) => naming.includes(each) || ADVICE.test(each.text))
        .map(({ text, place }) => [text, place]),
    );
    const untried = [...advising].filter(([text]) => !known.has(text));
    expect(untried).toEqual([]);
    // A sentence that was changed is tried again.
    const texts = new Set(said.map(({ text }) => text));
    expect([...known].filter((text) => !texts.has(text))).toEqual([]);
  });

  test.each(Object.entries(trials))("%s", (_sentence, trial) => expect(trial()).resolves.toBeUndefined());

  test.each(Object.entries(triedElsewhere))("elsewhere: %s", (_sentence, [file, part]) => {
    const full = path.join(ROOT, file);
    expect(existsSync(full) && readFileSync(full, "utf8").includes(part)).toBe(true);
  });
});
