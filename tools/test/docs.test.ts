import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USER_PACKAGES, namesMarkdown } from "../docs/names.mjs";
import { anchorsOf, linksOf } from "../markdown.mjs";
import { publicExports, publicMembers, undocumentedExports } from "../undocumented.mjs";
import { publishableFolders } from "../verify/tarballs.mjs";
import { snippetFaults, snippetsOf } from "../snippets.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
/** Files with that ending, without installed packages, whose links lead back here. */
const under = (folder: string, suffix: string): string[] =>
  readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    // Skips node_modules: packages that test each other contain each other without end.
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : under(file, suffix);
    return file.endsWith(suffix) ? [file] : [];
  });

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "examples/README.md",
  // npm shows these.
  ...publishableFolders().map((folder) => `packages/${path.basename(folder)}/README.md`),
  // The API reference is generated from the sources' comments.
  ...under("docs", ".md").filter((file) => !/^docs\/(?:api\/|names\.md|starter-code\.md)/.test(file)),
];

function linkFault(document: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? document : path.join(path.dirname(document), file);
  if (!existsSync(path.join(ROOT, target))) return `${document} links to ${link}, which does not exist`;
  if (anchor === undefined || !target.endsWith(".md")) return undefined;
  return anchorsOf(read(target)).includes(anchor)
    ? undefined
    : `${document} links to ${link}: no such heading`;
}

describe("documents", () => {
  it.each(documents)("%s has no dead link", (document) => {
    const faults = linksOf(read(document)).map((link) => linkFault(document, link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("name source files that exist", () => {
    const named = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((document) =>
      [...read(document).matchAll(/`(\w+\/src\/[\w/-]+\.ts)`/g)].map(([, file]) => `packages/${file}`),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  describe("show code that compiles", () => {
    const snippets = documents.flatMap((document) =>
      snippetsOf(read(document)).map(({ line, code }) => ({ name: `${document}:${line}`, code })),
    );
    const wrong = [
      { name: "a", code: 'import { Client } from "@paceline/client";\nnew Client(1, 2, 3).nothing();\n' },
      { name: "b", code: 'import { absent } from "@paceline/client";\n' },
    ];
    let found: readonly string[] | undefined;
    // In one program with the wrong ones: most of the time goes to the packages' types.
    const faults = (): readonly string[] => (found ??= snippetFaults(ROOT, [...snippets, ...wrong]));
    const isOfWrong = (fault: string): boolean => /^[ab], /.test(fault);

    it("in every document", () => {
      expect(snippets.length).toBeGreaterThan(0);
      expect(faults().filter((fault) => !isOfWrong(fault))).toEqual([]);
    });

    it("by a compiler that does not let everything pass", () => {
      const ofWrong = faults().filter(isOfWrong);
      expect(ofWrong[0]).toContain("a, its line 2");
      expect(ofWrong.filter((fault) => fault.startsWith("b, "))).toHaveLength(1);
    });
  });
});

describe("documents of the house", () => {
  const HOUSE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
  const LONGEST_PARAGRAPH_WORDS = 80;
  const WIDEST_TABLE_COLUMNS = 120;
  const words = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;
  /** Returns the beginnings of paragraphs and table rows that nobody can read in an editor. */
  const unreadable = (document: string): string[] =>
    document
      .split(/\n(?:\n|(?=- |\d+\. |\|))/)
      .filter((block) =>
        block.startsWith("|") ? block.length > WIDEST_TABLE_COLUMNS : words(block) > LONGEST_PARAGRAPH_WORDS,
      )
      .map((block) => block.slice(0, 60));

  it.each(HOUSE)("%s has short paragraphs, and lists instead of wide tables", (document) => {
    expect(unreadable(read(document))).toEqual([]);
  });

  it("are unreadable with a long paragraph or a wide table", () => {
    const long = Array.from({ length: 81 }, () => "word").join(" ");
    expect(unreadable(`Short.\n\n${long}\n`)).toHaveLength(1);
    expect(unreadable(`| a | ${"-".repeat(120)} |\n| b | c |`)).toHaveLength(1);
  });
});

describe("addresses in documents", () => {
  const options = read("packages/cli/src/server/server-options.ts");
  const usual = /textOf\("port"\);\s+const port = portOf\("port", chosenPort \?\? "(\d+)"\)/.exec(
    options,
  )?.[1];
  const programs = [
    ...["examples", "tools/conformance", "apps/demo-game/src", "packages/create-paceline/templates"].flatMap(
      (folder) => [".ts", ".mjs", ".py", ".md", ".html"].flatMap((suffix) => under(folder, suffix)),
    ),
  ].filter((file) => !/\/(?:dist|node_modules)\//.test(file));
  /** Returns the ports of this machine that a text names and neither uses by default nor sets itself. */
  const strangePorts = (text: string): string[] => {
    const named = text.matchAll(/(?:127\.0\.0\.1|localhost|\[::1\])["']?[:,] ?(\d{2,5})\b|\btcp port (\d+)/g);
    const set = text.matchAll(
      /(?:--(?:admin-)?port[ =]|-L |\blisten\(|\bownerOf\()(\d+)|"--(?:admin-)?port", "(\d+)"/g,
    );
    const isSet = new Set(Array.from(set, ([, one, other]) => one ?? other));
    const ports = Array.from(named, ([, one, other]) => one ?? other!);
    return ports.filter((port) => port !== usual && !isSet.has(port));
  };

  it("are of the port on which `paceline start` listens, or of one that the same document sets", () => {
    expect(usual).toBe("8787");
    expect(options).toContain(`(${usual})`);
    const faults = [...documents, ...new Set(programs)].flatMap((file) =>
      strangePorts(read(file)).map((port) => `${file}: ${port}`),
    );
    expect(faults).toEqual([]);
  });

  it("are found by the check", () => {
    expect(strangePorts("npx paceline start\nnode client.mjs http://127.0.0.1:8080 race")).toEqual(["8080"]);
    expect(strangePorts('tshark -f "tcp port 8080"')).toEqual(["8080"]);
    expect(
      strangePorts("npx paceline start --port 9000\nhttp://localhost:9000, ws://127.0.0.1:8787"),
    ).toEqual([]);
  });
});

describe("pictures in documents", () => {
  const pictures = documents.flatMap((file) =>
    Array.from(read(file).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g), ([, text, target]) => ({
      text: text!,
      target: path.join(path.dirname(file), target!),
    })),
  );

  it("have one text each, wherever they are shown", () => {
    expect(pictures.length).toBeGreaterThan(8);
    const differing = pictures.filter(
      ({ text, target }) => !pictures.every((other) => other.target !== target || sameText(text, other.text)),
    );
    expect(differing).toEqual([]);
  });

  /** True if one text is the other one, or its beginning: a document may leave out a part. */
  function sameText(one: string, other: string): boolean {
    return one.startsWith(other) || other.startsWith(one);
  }

  it("are checked against their texts by the scenarios that take them", () => {
    const scenarios = ["e2e/fail-over.spec.ts", "e2e/interface.spec.ts"].map(read).join("\n");
    for (const name of ["race.png", "panel.png"]) {
      expect(pictures.some(({ target }) => target === `docs/images/${name}`)).toBe(true);
      expect(scenarios).toContain(`assertAltText(page, "${name}")`);
    }
  });
});

describe("README.md", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

  it.each(["start", "test"])("names npm %s as a command, which exists", (name) => {
    expect(read("README.md")).toMatch(new RegExp(`^npm ${name}$`, "m"));
    const file = /^node (\S+)$/.exec(scripts[name] ?? "")?.[1];
    expect(file !== undefined && existsSync(path.join(ROOT, file))).toBe(true);
  });
});

describe("SECURITY.md", () => {
  const text = read("SECURITY.md");
  const section = text.slice(text.indexOf("## What is promised"), text.indexOf("## What is not promised"));
  const promises = section.split("\n").filter((line) => line.startsWith("- "));

  it.each(promises)("%s", (promise) => {
    const [, file = "", title = ""] = /\(`([^`]+\.test\.ts)`: "([^"]+)"\)\.$/.exec(promise) ?? [];
    expect(existsSync(path.join(ROOT, file)) && file !== "").toBe(true);
    expect(read(file)).toContain(`"${title}"`);
  });

  it("promises something, and says how to report a weakness", () => {
    expect(promises.length).toBeGreaterThan(5);
    expect(text).toMatch(/^## Report a weakness$/m);
  });
});

describe("what games and servers import", () => {
  it.each(USER_PACKAGES)("says what it is: %s", (name) => {
    expect(undocumentedExports(path.join(ROOT, "packages", name))).toEqual([]);
  });

  it("is looked at by a check that finds what is missing", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "paceline-exports-"));
    const manifest = { exports: { ".": { "@paceline/source": "index.ts" } } };
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(path.join(folder, "index.ts"), "/** Said. */\nexport const a = 1;\nexport const b = 2;\n");
    expect(undocumentedExports(folder)).toEqual(["b"]);
    rmSync(folder, { recursive: true });
  });
});

describe("user documents", () => {
  /** Returns the words of code in the documents, without sentences: "give" is an ordinary word, too. */
  const wordsOf = (files: string[]): Set<string> =>
    new Set(
      files
        .flatMap((file) => read(file).match(/```[^]*?```|`[^`\n]+`/g) ?? [])
        .flatMap((code) => code.match(/\w+/g) ?? []),
    );
  const guides = documents.filter((file) => /^(?:README\.md|docs\/(?:guides|coming-from)\/)/.test(file));
  const inGuides = wordsOf([...guides, "docs/PROFILES.md", "docs/MOTION.md", "docs/PANEL.md"]);
  const exported = USER_PACKAGES.flatMap((name) => publicExports(path.join(ROOT, "packages", name)));

  it("name everything that the packages export, on a page of the site", async () => {
    const listed = new Set((await namesMarkdown()).match(/^\| `\w+`/gm)?.map((row) => row.slice(3, -1)));
    const names = exported.flatMap((module) => module.names.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  it("leave out no published package, unless its own page sends games to another one", () => {
    const others = publishableFolders().filter((folder) => !USER_PACKAGES.includes(path.basename(folder)));
    for (const folder of others) {
      const { exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
        readonly exports?: unknown;
      };
      const page = readFileSync(path.join(folder, "README.md"), "utf8");
      // A package with only a command exports nothing.
      expect(exports === undefined || /Games (?:install|use) \[?`@paceline\/client`/.test(page)).toBe(true);
    }
    expect(others.map((folder) => path.basename(folder))).toContain("transport");
  });

  // The relay and the testkit have pages of their own.
  const ofGames = exported.filter(({ module }) => !/^@paceline\/(?:relay|testkit)/.test(module));

  it.each(ofGames)("explain in guides every name that $module exports", ({ names }) => {
    expect(names.map(({ name }) => name).filter((name) => !inGuides.has(name))).toEqual([]);
  });

  it("have the words that people search for, where the answer is", () => {
    const answers: Readonly<Record<string, readonly string[]>> = {
      "docs/guides/authority.md": ["kick", "despawn", "ping", "round trip", "rttMs", "interest management"],
      "docs/guides/trust.md": ["interest management", "visibility", "area of interest", "fog of war", "kick"],
      "docs/guides/interest.md": [
        "interest management",
        "area of interest",
        "fog of war",
        "viewpoint",
        "spectators",
      ],
      "docs/guides/entities.md": ["despawn", "memory", "food", "bullet", "interest management"],
      "docs/GLOSSARY.md": [
        "ping",
        "latency",
        "kick",
        "despawn",
        "destroy",
        "interest management",
        "RPC",
        "lobby",
      ],
      "docs/coming-from/colyseus.md": ["StateView", "kick", "despawn", "ping"],
      "docs/coming-from/socket-io.md": ["kick", "ping", "interest management"],
    };
    for (const [file, words] of Object.entries(answers)) {
      const text = read(file).toLowerCase();
      expect([file, words.filter((word) => !text.includes(word.toLowerCase()))]).toEqual([file, []]);
    }
  });

  it("show how a room class calls each method of `Room`", () => {
    const methods = publicMembers(path.join(ROOT, "packages/server/src/room/room.ts"), "Room", "method");
    const shown = guides.map(read).join("\n");
    // Handlers and hooks are written, not called.
    const called = methods.filter((name) => !/^(?:on[A-Z]|migrate$)/.test(name) && name !== "constructor");
    expect(called).toContain("kick");
    expect(called.filter((name) => !new RegExp(`\\b(?:this|room)\\.${name}\\(`).test(shown))).toEqual([]);
  });

  it("explain in guides the names of all modules", () => {
    expect(ofGames.length).toBeGreaterThan(7);
    expect(ofGames.flatMap(({ names }) => names).length).toBeGreaterThan(100);
  });

  it.each([
    ["packages/client/src/room/room.ts", "Room"],
    ["packages/client/src/room/room-events.ts", "RoomEvents"],
    ["packages/client/src/api/client.ts", "Client"],
    ["packages/client/src/room-transport/room-transport.ts", "RoomTransport"],
    ["packages/client/src/time/room-clock.ts", "RoomClock"],
    ["packages/server/src/room/room.ts", "Room"],
    ["packages/server/src/room/player.ts", "Player"],
  ])("explain in guides the members of a class: %s", (file, className) => {
    const members = publicMembers(path.join(ROOT, file), className).filter((name) => /^[a-z]\w+$/.test(name));
    expect(members.length).toBeGreaterThan(3);
    expect(members.filter((name) => name !== "constructor" && !inGuides.has(name))).toEqual([]);
  });
});

describe("rules of saved rooms", () => {
  it("have numbers that do not jump, and a test each", () => {
    const stated = Array.from(
      read("docs/SAVED-ROOMS.md").matchAll(/^\*\*\[(SR\d+)\] .+?\.\*\*/gm),
      ([, rule]) => rule!,
    );
    expect(stated.length).toBeGreaterThan(3);
    expect(stated).toEqual(stated.map((_, index) => `SR${index + 1}`));
    const titles = under("packages/relay/test/saving", ".test.ts").map(read).join("\n");
    const cited = new Set(Array.from(titles.matchAll(/\bit[^"]*"\[(SR\d+)\]/g), ([, rule]) => rule!));
    expect([...cited].toSorted()).toEqual(stated);
  });
});

describe("rules of the wire format", () => {
  const MAX_RULES = 55;
  const rulesIn = (text: string): string[] =>
    Array.from(text.matchAll(/\[((?:WF|M)\d+)\]/g), ([, rule]) => rule!);
  const statedIn = (file: string): string[] =>
    Array.from(read(file).matchAll(/^\*\*\[(\w+)\] .+?\.\*\*/gm), ([, rule]) => rule!);
  const ofWire = statedIn("docs/WIRE-FORMAT.md");
  const ofMatch = statedIn("docs/MATCH.md");
  const stated = [...ofWire, ...ofMatch];
  const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^"'`]*\))?\(\s*(["'`])((?:(?!\1).)*)\1/g;
  const citedIn = (suffix: string): string[] =>
    under("packages", suffix).flatMap((file) =>
      Array.from(read(file).matchAll(TITLE), ([, , title]) => rulesIn(title!)).flat(),
    );
  const cited = citedIn(".test.ts");
  const titlesIn = (file: string): string[] =>
    Array.from(read(file).matchAll(TITLE), ([, , title]) => rulesIn(title!)).flat();
  /** Rules that no bytes can show, each with the file of its test: they say when a side sends what. */
  const BEHAVIOUR: Readonly<Record<string, string>> = {
    WF29: "packages/relay/test/hostile-participant.test.ts",
    WF38: "packages/transport/test/fast-retransmit.sim.test.ts",
    WF41: "packages/transport/test/session-wire.sim.test.ts",
  };
  const vectorTests = under("packages", "vectors.test.ts");
  const vectorFiles = under("packages/protocol/test/vectors", ".json");
  const rulesOfVectors = vectorFiles.flatMap((file) =>
    (JSON.parse(read(file)) as { readonly rules?: readonly string[] }[]).flatMap(({ rules = [] }) => rules),
  );
  const withVector = new Set([...vectorTests.flatMap(titlesIn), ...rulesOfVectors]);
  /** Returns the rules that have neither a vector nor a test of their behaviour. */
  const uncovered = (rules: readonly string[]): string[] =>
    rules.filter((rule) => {
      const file = BEHAVIOUR[rule];
      return !withVector.has(rule) && (file === undefined || !titlesIn(file).includes(rule));
    });

  it("are at most 55, with numbers that do not jump", () => {
    expect(ofWire).toEqual(ofWire.map((_, index) => `WF${index + 1}`));
    expect(ofMatch).toEqual(ofMatch.map((_, index) => `M${index + 1}`));
    expect(ofWire.length).toBeGreaterThan(0);
    expect(ofWire.length).toBeLessThanOrEqual(MAX_RULES);
  });

  it("have a vector each, or a test of what no bytes can show", () => {
    expect(uncovered(stated)).toEqual([]);
    expect(uncovered([...stated, "WF99"])).toEqual(["WF99"]);
    expect(Object.keys(BEHAVIOUR).filter((rule) => withVector.has(rule) || !stated.includes(rule))).toEqual(
      [],
    );
  });

  it("are the only ones that vectors name, in files that a test reads", () => {
    expect(rulesOfVectors.length).toBeGreaterThan(80);
    expect(rulesOfVectors.filter((rule) => !stated.includes(rule))).toEqual([]);
    const tests = vectorTests.map(read).join("\n");
    const isRead = (name: string): boolean => tests.includes(`"${name}"`) || tests.includes(`/${name}.json"`);
    expect(vectorFiles.filter((file) => !isRead(path.basename(file, ".json")))).toEqual([]);
  });

  it("each have a test that names them", () => {
    expect(stated.filter((rule) => !cited.includes(rule))).toEqual([]);
  });

  it("are the only ones that tests name", () => {
    expect(cited.filter((rule) => !stated.includes(rule))).toEqual([]);
  });
});
