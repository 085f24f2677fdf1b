import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileStore } from "@paceline/server";
import { silentLog, writeSavedRoom } from "@paceline/relay";
import { encodeValue, PROTOCOL_VERSION } from "@paceline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverOptions } from "../src/server/server-options.js";

const BIN = path.join(import.meta.dirname, "../bin/paceline.js");
let folder: string;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs `paceline rooms ARGS` in a process of its own. */
async function rooms(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, "rooms", ...args], { cwd: folder, env: environment });
  let [out, error] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (error += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, error };
}

/** A room between players, as a server saves it. */
function savedRace(lastNumber: number): Uint8Array {
  const limits = { maxPlayers: 8, maxSpectators: 0, isLocked: false, isPrivate: false, isKept: false };
  const metadata = encodeValue({ scores: { Ada: 3 }, map: new Uint8Array(40) });
  const place = { id: "race-1", name: "race", code: "BCDF23", optionsKey: "[]", build: "41", openedBy: "" };
  const times = { savedAtMs: 1000, clockMs: 5, isFinal: true };
  return writeSavedRoom({
    ...{ wire: PROTOCOL_VERSION, build: "41", ...times, seats: [], states: [] },
    place: { ...place, ...limits, metadata, lastNumber },
  });
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "paceline-rooms-"));
  const store = fileStore(path.join(folder, "data/rooms"), { log: silentLog });
  for (const lastNumber of [1, 2]) await store.save("race 1", savedRace(lastNumber));
  await store.save("other", Uint8Array.of(0xc1));
  await store.close?.();
  writeFileSync(path.join(folder, "data/rooms/half.a.room"), "PLRS\u0001");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("paceline rooms", () => {
  it("lists the rooms of a data directory, the newest save of each first", async () => {
    const { code, out } = await rooms(["list", "--data", "data"]);
    const lines = out.trim().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^other\.a\.room {2}room other {2}saved 20\d\d-.*Z {2}33 bytes$/);
    expect(lines[1]).toMatch(/^race_201\.b\.room {2}room race 1 /);
    expect(lines[2]).toMatch(/^race_201\.a\.room {2}room race 1 /);
    expect(lines[3]).toBe("half.a.room: it ends after 5 bytes");
    expect(code).toBe(0);
    expect((await rooms(["list"], { PACELINE_DATA: "data" })).out).toBe(out);
  });

  it("shows a file: envelope and content", async () => {
    const { code, out } = await rooms(["show", "data/rooms/race_201.b.room"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^room: race 1$/m);
    expect(out).toMatch(/^sequence: 2$/m);
    expect(out).toMatch(/^version: 1$/m);
    expect(out).toMatch(/^checksum: [0-9a-f]{8}$/m);
    expect(out).toMatch(/^saved: 20\d\d-/m);
    expect(out).toContain('"Ada": 3');
    expect(out).toContain('"map": "40 bytes"');
    const json = await rooms(["show", "--json", "data/rooms/race_201.b.room"]);
    expect(JSON.parse(json.out)).toMatchObject({
      room: "race 1",
      content: {
        savedAt: "1970-01-01T00:00:01.000Z",
        room: { name: "race", lastNumber: 2, metadata: { scores: { Ada: 3 }, map: "40 bytes" } },
      },
      sizeBytes: readFileSync(path.join(folder, "data/rooms/race_201.b.room")).length,
    });
  });

  it("shows the envelope, and says what is wrong with the content if it is no room", async () => {
    const { code, out } = await rooms(["show", "data/rooms/other.a.room"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^contentBytes: 1$/m);
    expect(out).toContain('"problem": "it has only 1 bytes"');
  });

  it("says what is wrong with a file, a directory and a command line", async () => {
    expect(await rooms(["show", "data/rooms/half.a.room"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("fault: it ends after 5 bytes"),
    });
    expect(await rooms(["show", "data/rooms/gone.room"])).toMatchObject({
      code: 1,
      error: expect.stringContaining(
        "cannot read a saved room in data/rooms/gone.room: there is no such file",
      ),
    });
    expect(await rooms(["list", "--data", "nowhere"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("cannot list saved rooms in nowhere/rooms: there is no such file"),
    });
    expect(await rooms(["lst"])).toMatchObject({
      code: 2,
      error: 'expected "list" or "show FILE", got "lst"\npaceline rooms --help lists all.\n',
    });
    expect((await rooms(["--help"])).out).toContain("--data DIR");
  });
});

describe("--data", () => {
  it("names the directory, as do its variable and the default", () => {
    const folderOf = (args: readonly string[], environment = {}): string | undefined =>
      serverOptions(args, environment)?.dataFolder;
    expect(folderOf([])).toBe("paceline-data");
    expect(folderOf([], { PACELINE_DATA: "/var/lib/paceline" })).toBe("/var/lib/paceline");
    expect(folderOf(["--data", folder], { PACELINE_DATA: "/var/lib/paceline" })).toBe(folder);
  });

  it("refuses a file", () => {
    const file = path.join(folder, "data/rooms/half.a.room");
    expect(() => serverOptions(["--data", file], {})).toThrow(
      `data: expected a directory, or a name for a new one, got "${file}"`,
    );
    expect(() => serverOptions(["--data", ""], {})).toThrow("data: expected a directory");
  });
});
