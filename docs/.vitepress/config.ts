import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const markdownIn = (folder: string): string[] =>
  existsSync(path.join(ROOT, folder))
    ? readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith(".md"))
    : [];

/** Pages of the site by the document that they are made of. The documents keep the links that GitHub follows. */
const pages: Record<string, string> = {
  "examples/README.md": "starters.md",
  "packages/cli/README.md": "reference/cli.md",
  "packages/vite-plugin/README.md": "reference/vite-plugin.md",
  "packages/relay/README.md": "reference/relay.md",
  "packages/testkit/README.md": "reference/testkit.md",
  "apps/relay-server/README.md": "reference/server-options.md",
  "docs/PROFILES.md": "reference/profiles.md",
  "docs/ERRORS.md": "reference/errors.md",
  "docs/OPERATIONS.md": "reference/operations.md",
  "docs/SERVERS.md": "reference/servers.md",
  "docs/MOTION.md": "reference/motion.md",
  "docs/PANEL.md": "guides/panel.md",
  "SECURITY.md": "security.md",
  "ARCHITECTURE.md": "implementers/architecture.md",
  "CONTRIBUTING.md": "implementers/contributing.md",
};
for (const folder of ["", "guides/", "coming-from/", "api/"]) {
  for (const name of markdownIn(`docs/${folder}`)) {
    // In capitals: documents for those who write an implementation, or look into this one.
    const target = /^[A-Z-]+\.md$/.test(name) ? `implementers/${name.toLowerCase()}` : `${folder}${name}`;
    pages[`docs/${folder}${name}`] ??= target;
  }
}

/** The heading of a document. */
function titleOf(source: string): string {
  const [, title = source] = /^# (.+)$/m.exec(readFileSync(path.join(ROOT, source), "utf8")) ?? [];
  return title.replaceAll("`", "");
}

/** Entries of the sidebar for documents, named by their headings unless a name is given. */
function entries(...sources: (string | [source: string, text: string])[]): DefaultTheme.SidebarItem[] {
  return sources.map((each) => {
    const [source, text] = typeof each === "string" ? [each, titleOf(each)] : each;
    return { text, link: `/${pages[source]}` };
  });
}

const guide = (name: string): string => `docs/guides/${name}.md`;
const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: "Begin",
    items: entries("docs/getting-started.md", "examples/README.md", "docs/starter-code.md"),
  },
  {
    text: "Guides",
    items: entries(
      ...["entities", "messages", "rooms", "profiles", "authority", "interest", "lag-compensation"].map(
        guide,
      ),
      ...["reconnection", "players", "testing", "deployment", "trust", "types"].map(guide),
      "docs/PANEL.md",
    ),
  },
  {
    text: "Coming from",
    items: entries(
      ["docs/coming-from/colyseus.md", "Colyseus"],
      ["docs/coming-from/socket-io.md", "Socket.IO"],
      ["docs/coming-from/peerjs.md", "PeerJS"],
    ),
  },
  {
    text: "Reference",
    items: [
      ...entries(
        "docs/names.md",
        "docs/PROFILES.md",
        "docs/ERRORS.md",
        "docs/MOTION.md",
        "docs/OPERATIONS.md",
      ),
      ...entries(
        ["packages/cli/README.md", "Command line"],
        ["apps/relay-server/README.md", "Options of the server"],
        ["packages/vite-plugin/README.md", "Vite plugin"],
        ["packages/relay/README.md", "The relay as a library"],
        ["packages/testkit/README.md", "Testkit"],
        ["docs/SERVERS.md", "WebRTC and TURN"],
        ["SECURITY.md", "Security"],
      ),
      ...entries(...markdownIn("docs/api").map((name) => `docs/api/${name}`)).map((item) => ({
        ...item,
        text: `API: ${item.text}`,
      })),
    ],
  },
  {
    text: "For implementers",
    collapsed: true,
    items: entries(
      "ARCHITECTURE.md",
      ...[
        "DECISIONS",
        "WIRE-FORMAT",
        "MATCH",
        "SMALLEST-CLIENT",
        "STATE-CODEC",
        "STATE-MACHINES",
        "PACKETS",
        "GLOSSARY",
        "LAB",
        "ATTACK",
      ].map((name) => `docs/${name}.md`),
      "CONTRIBUTING.md",
    ),
  },
];

/** The link as the site has it; undefined if it leads to a file that is no page, such as source code. */
function siteLink(source: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const target = path.posix.join(path.posix.dirname(source), file);
  const starter = /^examples\/(\w+)\/\w+\.ts$/.exec(target)?.[1];
  if (starter !== undefined) return `/starter-code#${starter}`;
  const page = pages[target];
  return page && `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}

export default defineConfig({
  title: "Paceline",
  description: "Networking for browser multiplayer games",
  srcDir: "..",
  srcExclude: [
    "packages/!(relay|cli|vite-plugin|testkit)/README.md",
    "apps/!(relay-server)/README.md",
    "{artefacts,deploy,e2e,tools}/**",
    "{apps,examples,packages}/*/*/**",
    "docs/{test,results}/**",
    "{README,CHANGELOG}.md",
  ],
  rewrites: pages,
  cleanUrls: true,
  appearance: true,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    theme: { light: "github-light", dark: "github-dark" },
    config(md) {
      md.core.ruler.push("links", (state) => {
        const { env } = state;
        const file: string = env.realPath ?? env.path;
        const source = path.relative(ROOT, file).split(path.sep).join("/");
        let isPlain = false;
        for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type === "link_open") {
            const link = siteLink(source, token.attrGet("href") ?? "");
            isPlain = link === undefined;
            if (link !== undefined) token.attrSet("href", link);
          }
          // A file that the site does not have is named, and leads nowhere.
          if (isPlain && token.type.startsWith("link_"))
            Object.assign(token, { type: "span", tag: "span", attrs: null });
        }
      });
    },
  },
  themeConfig: {
    sidebar,
    nav: [
      { text: "Start", link: "/getting-started" },
      { text: "Guides", link: "/guides/entities" },
      { text: "Reference", link: "/names" },
    ],
    outline: [2, 3],
    search: { provider: "local" },
    docFooter: { prev: "Before", next: "Next" },
  },
});
