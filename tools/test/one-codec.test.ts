import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const PACKAGES = ["client", "netcode", "protocol", "relay", "server", "transport"];

/** The product's code without comments, by file. */
const code = PACKAGES.flatMap((name) => {
  const folder = path.join(ROOT, "packages", name, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.map((file) => ({
    file: `${name}/src/${file}`,
    text: withoutComments(readFileSync(path.join(folder, file), "utf8")),
  }));
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

function filesWith(pattern: RegExp): string[] {
  return code
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted();
}

describe("states", () => {
  it("have one encoder and one decoder", () => {
    expect(filesWith(/\bnew StateCodec\(/)).toEqual([
      "protocol/src/state/read/snapshot-reader.ts",
      "protocol/src/state/send/snapshot-writer.ts",
    ]);
    expect(filesWith(/\bnew SnapshotWriter\(/)).toEqual([
      "client/src/modes/state-stream.ts",
      "protocol/src/state/whole-state.ts",
      "server/src/entities/world.ts",
    ]);
  });

  it("become columns in one place, and never travel as floats", () => {
    expect(filesWith(/\bquantise\(/)).toEqual([
      "protocol/src/input/input-codec.ts",
      "protocol/src/state/columns/quantiser.ts",
      "protocol/src/state/columns/state-history.ts",
    ]);
    const ofValues = ["protocol/src/bytes/msgpack-item.ts", "protocol/src/bytes/msgpack-writer.ts"];
    expect(filesWith(/\b[gs]etFloat(?:32|64)\(/)).toEqual(ofValues);
  });

  it("are sent by one class of a client, and on a server to all players, to those of a cell, or to one", () => {
    expect(filesWith(/\bnew ReceiverGroup\b/)).toEqual([
      "client/src/modes/state-stream.ts",
      "protocol/src/state/send/sole-receiver.ts",
      "server/src/interest/cell-group.ts",
      "server/src/interest/player-view.ts",
      "server/src/states/tier.ts",
    ]);
  });

  it("are sent by the receiver group alone: what it has replaced is gone", () => {
    const replaced =
      /(?:reference-sender|reference-cycle|references|whole-sender|snapshot-sender|shared-snapshot|player-snapshot-stream)\.ts$/;
    expect(code.map(({ file }) => file).filter((file) => replaced.test(file))).toEqual([]);
  });

  it("are read by one class for each source: peers, an authority, a player's own entities, a saved room", () => {
    expect(filesWith(/\bnew SnapshotReader\(/)).toEqual([
      "client/src/modes/authoritative/hosted-entities.ts",
      "client/src/modes/mesh/remote-streams.ts",
      "protocol/src/state/whole-state.ts",
      "server/src/entities/coded-states.ts",
      "server/src/room/room-saving.ts",
    ]);
  });

  it("live in one store", () => {
    // Those of the relay keep whole rooms as bytes.
    const ofEntities = (file: string): boolean => !file.startsWith("relay/src/saving/");
    expect(filesWith(/\bclass \w*(?:Store|EntityTable)\b/).filter(ofEntities)).toEqual([
      "netcode/src/entity-table.ts",
      "netcode/src/replica/replica-store.ts",
    ]);
  });
});

describe("a client's room", () => {
  const { text } = code.find(({ file }) => file === "client/src/room/room.ts")!;

  it("does not ask for its mode", () => {
    expect(text).not.toMatch(/\bif \((?:[^()\n]|\([^()\n]*\))*?(?:#mode\b|\bmode\.|authority)/);
    expect(text).not.toMatch(/instanceof \w*Mode\b/);
    expect(text).not.toMatch(/(?:#mode\.server|authority)\s*(?:\?|&&|\|\||===|!==)/);
  });

  it("knows no mode, not even to begin with", () => {
    expect(text).not.toMatch(/^import (?!type)[^;]*from "\.\.\/modes\//m);
    expect(text).not.toMatch(/\bnew \w+Mode\(/);
  });

  it("comes from the only file that imports code of ours dynamically", () => {
    const client = code.filter(({ file }) => file.startsWith("client/src/"));
    const dynamic = client.filter(({ text: each }) => /\bimport\("\./.test(each)).map(({ file }) => file);
    expect(dynamic).toEqual(["client/src/doors/doors.ts"]);
  });
});
