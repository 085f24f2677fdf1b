import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Returns the files that are committed, or would be. */
function committedFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return listed.split("\0").filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
}

/** Paths of one person's machine, and package registries that only some machines can reach. */
const LOCAL_PATH = /(?:^|[\s"'`(=:])(?:\/(?:home|Users|root|work)\/\w|[A-Z]:\\Users\\)/m;
const REGISTRY_HOST =
  /registry\.(?:npmjs|yarnpkg|npmmirror)\.|npm\.pkg\.github|\/\/[^\s/"']*(?:nexus|artifactory|verdaccio)/i;
const VAGUE_NAME = /(?:^|\/)(?:utils?|common|shared|helpers?|core|misc)(?:\.[^/]+)?(?:\/|$)/;
/**
 * Comments and names that CONTRIBUTING's rules forbid: a question or nothing as the subject, or `MOST_` for a
 * limit.
 */
const HARD_TO_READ =
  /(?:\/\*\*|^\s*\/\/) (?:What|Who|Whoever|Whose) \w|\/\*\* (?:Of|The same|Those|And|Or) \w|\bMOST_[A-Z]/m;
/** Names that other ones have replaced. The groups keep this file from matching. */
const REPLACED = new RegExp(
  [
    // One file explains a room, from facts.
    String.raw`\b(?:Mode(?:)Facts|Room(?:)Words|WordsOf(?:)Rooms|Travelling(?:)Room|Explained(?:)Room)\b`,
    // Lockstep has an entry of its own, and the panel a package.
    String.raw`client/(?:)(?:netcode|panel|src/panel)\b`,
    // A group of receivers sends states.
    String.raw`\b(?:Shared)?Snapshot(?:)Sender\b|\bShared(?:)(?:Writer|Ticks|Snapshot)\b`,
    String.raw`\bAcknowledged(?:)(?:States|Ticks)\b|\bPlayer(?:)SnapshotStream\b|\bIndividual(?:)States\b`,
    String.raw`\bReference(?:)(?:Sender|Cycle)\b|\bWhole(?:)Sender\b`,
  ].join("|"),
);
/** Former objects between the relay's half of a player or a room and the game's half, and their files. */
const THIRD_OBJECT =
  /\b(?:Hosted(?:Participant|Room|Seat)|PlayerConnection|RoomCore|ClassAuthority|RoomHost|coreOf)\b/;
const THIRD_FILE =
  /\/(?:player-connection|room-core|class-authority|room-host)\.ts$|\/server\/src\/connections\//;
/** Former folders and files: their names did not tell what they hold, or they held too little for a file. */
const FOLDED = new RegExp(
  [
    String.raw`protocol/(?:)src/(?:errors/codes|match|bytes/message-reader|wire/build|schema/motion-use)\b`,
    String.raw`protocol/(?:)src/state/(?:plan/|codec/(?:checksum|varuint)\b)`,
    String.raw`protocol/(?:)src/state/send/(?:(?:shared-)?snapshot-sender|shared-(?:ticks|writer)|acknowledged-)`,
    String.raw`server/(?:)src/states/(?:shared-snapshot|player-snapshot-stream)\b`,
    String.raw`client/(?:)src/modes/mesh/individual-states\b`,
    String.raw`netcode/(?:)src/(?:row-range|body/(?:angle|quaternion|pose-offset)|convergence/blend)\b`,
    String.raw`netcode/(?:)src/reckoning/(?:rotation|new-reckoner|step-model|refused-state|adaptive-threshold)\b`,
    String.raw`netcode/(?:)src/(?:prediction/row-step|replica/received-replica|interpolation/is-interpolated)\b`,
    String.raw`transport/(?:)src/(?:live/|own-time|link-route|profiles/index|node/node-websocket)`,
    String.raw`transport/(?:)src/session/(?:pong|close-body|drop-counters)\b`,
    String.raw`client/(?:)src/(?:events|paths|plan|report)/`,
    String.raw`client/(?:)src/(?:room/(?:welcome|early-handlers)|connection/endpoint|peers/bulk-rate)\.`,
    String.raw`client/(?:)src/modes/(?:mesh/unfinished-messages|authoritative/view-terms)\b`,
    String.raw`server/(?:)src/(?:auth/compact-jwt|hooks/refusal|ops/block-watch|room/server-entity)\b`,
    String.raw`relay/(?:)src/(?:authority/|limits/session-settings\b)`,
    String.raw`cli/(?:)src/server/usage-error\b`,
    String.raw`testkit/(?:)src/(?:outbox-over|room/preload-rooms)\b`,
    String.raw`demo-game/(?:)src/(?:car/tyre|race/race-room|track/control-points)\b`,
    String.raw`demo-game/(?:)src/net/(?:car-fields|remote-car|watched-car)\b`,
    String.raw`lab/(?:)src/(?:connect/growth|motion/quantise)\b`,
  ].join("|"),
);
/** A busy machine is late by this much. A test that allows less says something about the machine. */
const MIN_WALL_CLOCK_MS = 200;

/** Returns the limits below that in which a test asserts a duration of real time. */
function tightWallClocks(text: string): string[] {
  const reading = String.raw`\b(?:performance|Date)\.now\(\)`;
  const difference = `(?:${reading}\\s*-|-\\s*${reading})`;
  // What is multiplied is a distance, or another unit.
  const assigned = new RegExp(String.raw`\b(\w+)\s*=[^;=]*${difference}[^;*/]*;`, "g");
  const durations = [...text.matchAll(assigned)].map(([, name]) => name!);
  const constants = new Map(
    [...text.matchAll(/\bconst (\w+) = ([\d_.]+);/g)].map(([, name, value]) => [name!, value!]),
  );
  const isDuration = new RegExp([difference, ...durations.map((name) => String.raw`\b${name}\b`)].join("|"));
  const asserted =
    /expect(?:\.soft)?\(([^;]*?)\)\s*\.(?:toBeLessThan|toBeLessThanOrEqual|toBeCloseTo)\(([\w.]+)/g;
  return [...text.matchAll(asserted)]
    .filter(([, value = "", limit = ""]) => {
      const limitMs = Number((constants.get(limit) ?? limit).replaceAll("_", ""));
      return isDuration.test(value) && limitMs < MIN_WALL_CLOCK_MS;
    })
    .map(([found]) => found);
}

const LEFT_UNDONE = /\b(?:TO(?:)DO|FIX(?:)ME|X(?:)XX)\b/;

describe.runIf(existsSync(path.join(ROOT, ".git")))("committed files", () => {
  const files = committedFiles();
  const texts = files
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
  const matching = (pattern: RegExp): string[] =>
    texts
      .filter(({ text }) => pattern.test(text))
      .map(({ file, text }) => `${file}: ${pattern.exec(text)?.[0]}`);

  it("name no path of one machine", () => expect(matching(LOCAL_PATH)).toEqual([]));

  it("name no package registry", () => expect(matching(REGISTRY_HOST)).toEqual([]));

  it("leave nothing marked as undone", () => expect(matching(LEFT_UNDONE)).toEqual([]));

  it("use no name that another one has replaced", () => {
    // Users read there what to write instead.
    const present = texts.filter(({ file }) => !/^(?:\.changeset\/|CHANGELOG\.md$)/.test(file));
    expect(present.filter(({ text }) => REPLACED.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("have comments with a subject and a verb, and limits named MAX_", () => {
    const code = texts.filter(
      ({ file }) =>
        !file.includes("/test/") && /^(?:packages|apps|tools|e2e|examples)\/.*\.(?:ts|mjs)$/.test(file),
    );
    expect(code.filter(({ text }) => HARD_TO_READ.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("explain at most 45 words in the glossary, none twice", () => {
    const glossary = readFileSync(path.join(ROOT, "docs/GLOSSARY.md"), "utf8");
    const entries = glossary.split("\n").filter((line) => line.startsWith("- **"));
    const words = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word);
    expect(entries.length).toBeLessThanOrEqual(45);
    expect(words.length).toBe(new Set(words).size);
  });

  it("have no third object for a player or a room on the server", () => {
    const server = texts.filter(({ file }) => /^packages\/(?:relay|server)\/src\//.test(file));
    expect(server.filter(({ text }) => THIRD_OBJECT.test(text)).map(({ file }) => file)).toEqual([]);
    expect(files.filter((file) => THIRD_FILE.test(file))).toEqual([]);
  });

  it("are not, and do not name, a file that was folded into that of its noun", () => {
    const present = texts.filter(({ file }) => !/^(?:\.changeset\/|CHANGELOG\.md$)/.test(file));
    expect(files.filter((file) => FOLDED.test(file))).toEqual([]);
    expect(present.filter(({ text }) => FOLDED.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("assert no duration of real time below what a busy machine is late", () => {
    const tests = texts.filter(
      ({ file }) => /\.(?:test|spec)\.ts$/.test(file) && !file.startsWith("tools/test/tidi"),
    );
    expect(tests.length).toBeGreaterThan(100);
    expect(
      tests.flatMap(({ file, text }) => tightWallClocks(text).map((each) => `${file}: ${each}`)),
    ).toEqual([]);
  });

  it("are named by what they hold", () => {
    expect(files.filter((file) => VAGUE_NAME.test(file))).toEqual([]);
  });
});

describe("the patterns", () => {
  it("match what they are for", () => {
    expect(["/** Wh", "at a room has. */"].join("")).toMatch(HARD_TO_READ);
    expect(["/** O", "f the last packet. */"].join("")).toMatch(HARD_TO_READ);
    expect(["MO", "ST_PLAYERS"].join("")).toMatch(HARD_TO_READ);
    expect(["Mode", "Facts"].join("")).toMatch(REPLACED);
    expect(["SharedSnap", "shotSender"].join("")).toMatch(REPLACED);
    expect(["Snap", "shotSender"].join("")).toMatch(REPLACED);
    expect(["Individual", "States"].join("")).toMatch(REPLACED);
    expect(["@paceline/client", "netcode"].join("/")).toMatch(REPLACED);
    expect(["packages/client", "src/panel/index.ts"].join("/")).toMatch(REPLACED);
    const home = ["", "home", "someone", "game"].join("/");
    expect(`open("${home}")`).toMatch(LOCAL_PATH);
    expect(["https://registry", "npmjs", "org/ws"].join(".")).toMatch(REGISTRY_HOST);
    expect("packages/client/src/utils/a.ts").toMatch(VAGUE_NAME);
    expect("packages/client/src/helper.ts").toMatch(VAGUE_NAME);
    expect(["class Room", "Core {"].join("")).toMatch(THIRD_OBJECT);
    expect("packages/server/src/room/room-core.ts").toMatch(THIRD_FILE);
  });

  it("match folded files and former folders", () => {
    expect(["packages/protocol", "src/errors/codes.ts"].join("/")).toMatch(FOLDED);
    expect(["protocol", "src/state/plan/quantiser.ts"].join("/")).toMatch(FOLDED);
    expect(["packages/transport", "src/live/path-choice.ts"].join("/")).toMatch(FOLDED);
    expect(["packages/client", "src/plan/plan-in-force.ts"].join("/")).toMatch(FOLDED);
    expect(["packages/server", "src/hooks/refusal.ts"].join("/")).toMatch(FOLDED);
    expect(["protocol", "src/state/send/shared-ticks.ts"].join("/")).toMatch(FOLDED);
    expect(["packages/relay", "src/authority/room-host.ts"].join("/")).toMatch(FOLDED);
    expect(["packages/protocol", "src/errors/error-codes.ts"].join("/")).not.toMatch(FOLDED);
    expect(["packages/client", "src/policy/plan-in-force.ts"].join("/")).not.toMatch(FOLDED);
    expect(["packages/server", "src/hooks/hooks.ts"].join("/")).not.toMatch(FOLDED);
  });

  it("find durations of real time that a busy machine exceeds", () => {
    expect(tightWallClocks("expect(performance.now() - startMs).toBeLessThan(150);")).toHaveLength(1);
    expect(
      tightWallClocks("const tookMs = Date.now() - startMs;\nexpect(tookMs).toBeLessThan(90);"),
    ).toHaveLength(1);
    expect(
      tightWallClocks("const MAX_MS = 20; expect(Math.abs(a - performance.now())).toBeLessThan(MAX_MS);"),
    ).toHaveLength(1);
    expect(tightWallClocks("expect(performance.now() - startMs).toBeLessThan(1000);")).toEqual([]);
    expect(tightWallClocks("expect(Date.now() - startMs).toBeGreaterThan(90);")).toEqual([]);
    expect(tightWallClocks("expect(sent).toBeLessThan(90);")).toEqual([]);
  });

  it("leave ordinary words alone", () => {
    expect("the work/home of a /rooted path").not.toMatch(LOCAL_PATH);
    expect("packages/netcode/src/score.ts").not.toMatch(VAGUE_NAME);
  });
});
