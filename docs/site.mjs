/**
 * `pnpm docs:site`: the site of the documents, in docs/.vitepress/dist, with the API reference that typedoc makes of the
 * packages' sources. Links that lead nowhere fail the build, in comments too.
 */
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Application } from "typedoc";
import { build } from "vitepress";
import { namesMarkdown, userModules } from "../tools/docs/names.mjs";

const DOCS = import.meta.dirname;

async function writeReference() {
  const modules = userModules();
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: modules.map(({ file }) => file),
    tsconfig: path.join(DOCS, "tsconfig.api.json"),
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    readme: "none",
    logLevel: "Warn",
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    // typedoc empties this folder first.
    outputs: [{ name: "markdown", path: path.join(DOCS, "api") }],
    // Options of the plugin, which typedoc's types do not know.
    .../** @type {object} */ ({
      outputFileStrategy: "modules",
      flattenOutputFiles: true,
      hideBreadcrumbs: true,
      hidePageHeader: true,
      hidePageTitle: false,
      parametersFormat: "table",
    }),
  });
  const project = await app.convert();
  if (!project) throw new Error("typedoc could not read the packages");
  app.validate(project);
  if (app.logger.hasWarnings()) throw new Error("typedoc's warnings above have to be mended");
  for (const module of project.children ?? []) {
    // typedoc names a module by its folder.
    const files = [`${module.name}.ts`, `${module.name}/index.ts`].map((file) =>
      path.join(DOCS, "../packages", file),
    );
    const found = modules.find(({ file }) => files.includes(file));
    if (!found) throw new Error(`typedoc names a module ${module.name}, which no package exports`);
    module.name = found.module;
  }
  await app.generateOutputs(project);
}

/** The code of all starters on one page, for readers who have the site alone. */
function starterCode() {
  const examples = path.join(DOCS, "../examples");
  const games = readdirSync(examples, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && readdirSync(path.join(examples, entry.name)).includes("game.ts"),
  );
  const sections = games.map(({ name }) => {
    const files = readdirSync(path.join(examples, name)).filter((file) =>
      /^(?:world|rooms|game|page)\.tsx?$/.test(file),
    );
    const parts = files.map((file) => `\`${file}\`\n\n<<< @/examples/${name}/${file}\n`);
    return `## ${name}\n\n${parts.join("\n")}`;
  });
  return `# The code of the starters\n\n${sections.join("\n")}`;
}

await writeReference();
writeFileSync(path.join(DOCS, "starter-code.md"), starterCode());
writeFileSync(path.join(DOCS, "names.md"), await namesMarkdown());
await build(DOCS);
