import path from "node:path";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { expect, it } from "vitest";
import type { play } from "./browser-room.js";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** What JavaScript itself lacks, and every page has. */
const pageGlobals = {
  performance,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  queueMicrotask,
  TextEncoder,
  TextDecoder,
};

it("rooms, players, states and entities run in a page: without Node, and without code of the relay", async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "browser-room.ts")],
    absWorkingDir: ROOT,
    bundle: true,
    platform: "browser",
    conditions: ["@paceline/source"],
    format: "iife",
    globalName: "hosted",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs).toContain("packages/server/src/room/player.ts");
  expect(inputs.filter((file) => /^packages\/(?:relay|cli)\/|node:/.test(file))).toEqual([]);
  const text = `${outputFiles[0]!.text}; hosted.play()`;
  const played = await (runInNewContext(text, { ...pageGlobals }) as ReturnType<typeof play>);
  expect(played).toMatchObject({ calls: ["join 1", "leave 1"], logged: [] });
  expect(played.stateBytes).toBeGreaterThan(50);
});
