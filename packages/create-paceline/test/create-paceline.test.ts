import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { profiles } from "@paceline/client";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const HOME = path.join(import.meta.dirname, "..");
const BIN = path.join(HOME, "bin/create-paceline.js");
const VERSION = (JSON.parse(readFileSync(path.join(HOME, "package.json"), "utf8")) as { version: string })
  .version;

let folder: string;
beforeAll(() => {
  const root = path.join(HOME, "../..");
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", HOME], { cwd: root, encoding: "utf8" });
  if (build.status !== 0) throw new Error(build.stdout);
}, 60_000);
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), "create-paceline-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

async function create(
  args: readonly string[],
  { env = {}, flags = [] }: { env?: NodeJS.ProcessEnv; flags?: readonly string[] } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...flags, BIN, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (text += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}

const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");

describe("npm create paceline", () => {
  test.each([
    [[], "canvas", ["@paceline/client", "paceline"]],
    [["--template", "authority"], "authority", ["@paceline/client", "@paceline/server", "paceline"]],
  ])("%j writes a game of the template %s", async (args, template, dependencies) => {
    const { code, text } = await create(["My Game!", ...args]);
    expect(text).toContain(`(template ${template})`);
    expect(text).toContain("npm install\n  npm run dev\n");
    expect(code).toBe(0);
    const manifest = JSON.parse(read("My Game!/package.json")) as Record<string, Record<string, string>>;
    expect(manifest["name"]).toBe("my-game");
    expect(manifest["dependencies"]).toEqual(Object.fromEntries(dependencies.map((name) => [name, VERSION])));
    expect(manifest["devDependencies"]?.["@paceline/vite-plugin"]).toBe(VERSION);
    expect(Object.keys(manifest["scripts"] ?? {})).toEqual(["dev", "build", "start"]);
    expect(read("My Game!/.gitignore")).toContain("node_modules");
    expect(existsSync(path.join(folder, "My Game!/_gitignore"))).toBe(false);
    expect(existsSync(path.join(folder, "My Game!/src/main.ts"))).toBe(true);
  });

  test.each([...Object.keys(profiles), "arena"])(
    "writes the starter of %s as a game of its own",
    async (genre) => {
      const { code, text } = await create(["mine", "--template", genre]);
      expect(text).toContain(`(template ${genre})`);
      expect(code).toBe(0);
      const files = readdirSync(path.join(folder, "mine"));
      expect(files).toEqual(expect.arrayContaining([".gitignore", "game.ts", "index.html", "tsconfig.json"]));
      expect(files).not.toContain("node_modules");
      expect(read("mine/package.json")).not.toContain("workspace:");
      const manifest = JSON.parse(read("mine/package.json")) as Record<string, Record<string, string>>;
      expect(manifest["name"]).toBe("mine");
      expect(manifest["dependencies"]?.["@paceline/client"]).toBe(VERSION);
      expect(manifest["devDependencies"]?.["@paceline/vite-plugin"]).toBe(VERSION);
    },
  );

  test("accepts an empty folder, and picks a name if none is given", async () => {
    mkdirSync(path.join(folder, "paceline-game"));
    expect((await create([])).code).toBe(0);
    expect(existsSync(path.join(folder, "paceline-game/index.html"))).toBe(true);
  });

  test
    .runIf(process.platform !== "win32")
    .each([
      "my game",
      "it's",
      "$(touch broken)",
      "a;b",
      "back`tick`",
      "games/new one",
      "./-dash",
      "~",
      "plain-name_1.0",
    ])("prints commands that a shell understands, for the folder %j", async (name) => {
    const { text } = await create([name]);
    const [, command = ""] = /^ {2}(cd .+)$/m.exec(text) ?? [];
    const shell = spawnSync("sh", ["-c", `${command} && pwd`], { cwd: folder, encoding: "utf8" });
    expect(shell.stdout.trim()).toBe(path.join(realpathSync(folder), name));
    expect(readdirSync(folder)).not.toContain("broken");
    // A name without special characters stays as it is.
    expect(command === `cd ${name}`).toBe(["plain-name_1.0", "./-dash"].includes(name));
  });

  test("refuses a folder that is not empty, in one sentence, and changes nothing", async () => {
    mkdirSync(path.join(folder, "mine"));
    writeFileSync(path.join(folder, "mine/package.json"), "{}");
    const { code, text } = await create(["mine", "--install"]);
    expect(code).toBe(1);
    expect(text).toBe(
      '"mine" is not empty (it has package.json); choose another folder. Nothing was changed.\n',
    );
    expect(readdirSync(path.join(folder, "mine"))).toEqual(["package.json"]);
    expect(read("mine/package.json")).toBe("{}");
    writeFileSync(path.join(folder, "file"), "");
    expect(await create(["file"])).toEqual({
      code: 1,
      text: '"file" is a file; choose another folder.\n',
    });
  });

  test.each([
    [
      ["--template", "chess"],
      /template: expected one of canvas, authority, racing, shooter, .*, party, got "chess"/,
    ],
    [["one", "two"], /expected one folder, got one, two/],
    [["--tempalte", "canvas"], /--tempalte/],
  ])("%j says what there is, and writes nothing", async (args, message) => {
    const { code, text } = await create(args);
    expect(code).toBe(2);
    expect(text).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("with an old Node prints one sentence", async () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '18.20.4' })";
    const { code, text } = await create(["mine"], { flags: ["--import", old] });
    expect(code).toBe(1);
    expect(text).toBe("create-paceline needs Node 20.19 or newer; this is Node 18.20.4.\n");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("--install names the package that npm could not get", () => {
  const npm = (registry: string): NodeJS.ProcessEnv => ({
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: path.join(folder, "cache"),
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
  });

  /** Answers each request with a status, and notes the packages that were asked for. */
  async function registryWith(status: number): Promise<{ url: string; end: () => void }> {
    const server = createServer((_request, response) => void response.writeHead(status).end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    return { url: `http://127.0.0.1:${port}/`, end: () => void server.close() };
  }

  const named = /could not get the package (@paceline\/[a-z-]+|paceline|vite|typescript)(@[\d.]+)? /;

  test("without a network", async () => {
    const { url, end } = await registryWith(200);
    end();
    const { code, text } = await create(["mine", "--install"], { env: npm(url) });
    expect(code).toBe(1);
    expect(text).toMatch(named);
    expect(text).toMatch(/ECONNREFUSED/);
    // The game is there all the same, with the way on.
    expect(existsSync(path.join(folder, "mine/package.json"))).toBe(true);
    expect(text).toContain("npm install\n  npm run dev\n");
  });

  test("a plain npm install names it too, in npm's words", async () => {
    const { url, end } = await registryWith(200);
    end();
    expect((await create(["mine"])).code).toBe(0);
    const env = { PATH: process.env["PATH"], ...npm(url) };
    const child = spawn("npm", ["install"], { cwd: path.join(folder, "mine"), env });
    let text = "";
    child.stderr.on("data", (data: Buffer) => (text += data.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).not.toBe(0);
    expect(text).toMatch(
      /request to \S+\/(@paceline%2f[a-z-]+|paceline|vite|typescript) failed, reason: .*ECONNREFUSED/i,
    );
  });

  test("that the registry does not have", async () => {
    const { url, end } = await registryWith(404);
    const { code, text } = await create(["mine", "--install"], { env: npm(url) });
    end();
    expect(code).toBe(1);
    expect(text).toMatch(named);
  });
});
