import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import type { constructionsOf } from "./join-constructions.js";

/** Parts of a player and of a room: each has a task of its own, and nobody takes it for the player or the room. */
const PARTS_OF_PLAYER = [
  "relay AdmittedLink",
  "relay BucketShare",
  "relay ForwardShare",
  "relay ParticipantLinks",
  "relay ParticipantNews",
  "relay ReadingPause",
  "relay ResumeTokens",
  "relay SessionMeter",
  "relay StreamSlots",
  "relay UpdateFilter",
  "relay WaitingPackets",
  "server AlignedReceiver",
  "server MessageAllowance",
  "server PlayerStates",
  "server Sight",
];
const PARTS_OF_ROOM = [
  "relay BucketShare",
  "relay PeerNumbers",
  "relay RoomForwards",
  "server Ground",
  "server Histogram",
  "server Hooks",
  "server MessageHandlers",
  "server Mirrors",
  "server OwnedStates",
  "server PlayerInbox",
  "server PlayerLifecycle",
  "server PlayerRegistry",
  "server Replicator",
  "server RewindHistory",
  "server RoomBots",
  "server RoomClock",
  "server RoomEntities",
  "server RoomErrors",
  "server RoomLists",
  "server RoomSaving",
  "server RoomTimers",
  "server SpectatorStream",
  "server TickLoop",
  "server Viewpoints",
  "server World",
];

const home = import.meta.dirname;

/** Lets each class of the relay and of the server count its constructions. */
const counting: Plugin = {
  name: "counting",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]packages[\\/](?:relay|server)[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const [, name] = /[\\/]packages[\\/](\w+)[\\/]src[\\/]/.exec(file)!;
      const counted = readFileSync(file, "utf8").replaceAll(
        /^(?:export )?(?:abstract )?class (\w+)[^{]*\{/gm,
        (head, type: string) => `${head} __constructed = globalThis.constructed("${name} ${type}");`,
      );
      return { contents: counted, loader: "ts" };
    });
  },
};

const main = `
  const counts = new Map();
  globalThis.constructed = (name) => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const { constructionsOf } = await import("./join-constructions.js");
  console.log(JSON.stringify(await constructionsOf(counts)));
  process.exit(0);
`;

test("a player is two objects and a room is two: the relay's and the game's", async () => {
  const folder = mkdtempSync(path.join(home, "../node_modules/.constructions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outfile = path.join(folder, "join.mjs");
  await build({
    stdin: { contents: main, resolveDir: home },
    plugins: [counting],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    external: ["node-datachannel"],
    banner: {
      js: 'import { createRequire as of } from "node:module"; const require = of(import.meta.url);',
    },
    outfile,
    logLevel: "silent",
  });
  const printed = execFileSync(process.execPath, [outfile], { encoding: "utf8" });
  const { ofPlayer, ofRoom } = JSON.parse(printed.trimEnd().split("\n").at(-1)!) as Awaited<
    ReturnType<typeof constructionsOf>
  >;
  const wholes = (counts: Record<string, number>, parts: readonly string[]): Record<string, number> =>
    Object.fromEntries(Object.entries(counts).filter(([name]) => !parts.includes(name)));
  expect(wholes(ofPlayer, PARTS_OF_PLAYER)).toEqual({ "relay Participant": 1, "server Player": 1 });
  expect(wholes(ofRoom, PARTS_OF_ROOM)).toEqual({ "relay Room": 1, "server Room": 1 });
});
