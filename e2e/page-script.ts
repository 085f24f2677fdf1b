import { build } from "esbuild";

/** A test's page script with all that it imports, from source, as one module. */
export async function pageScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
  });
  return outputFiles[0]!.text;
}
