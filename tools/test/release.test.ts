import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dependenciesFirst, repositoryFault } from "../release.mjs";
import { publishableFolders } from "../verify/tarballs.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly repository?: unknown;
}
const manifests = publishableFolders().map(
  (folder) => JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest,
);

test("a release publishes every package, each after those that it depends on", () => {
  const packages = manifests.map(({ name, dependencies, peerDependencies }) => {
    return { name, needs: Object.keys({ ...dependencies, ...peerDependencies }) };
  });
  // The result must not depend on the order of the folders.
  for (const given of [packages, packages.toReversed()]) {
    const ordered = dependenciesFirst(given);
    expect(ordered.map(({ name }) => name).sort()).toEqual(manifests.map(({ name }) => name).sort());
    const published = new Set<string>();
    for (const { name, needs } of ordered) {
      const ours = needs.filter((need) => manifests.some((other) => other.name === need));
      expect(ours.filter((need) => !published.has(need))).toEqual([]);
      published.add(name);
    }
  }
});

test("a release refuses packages that name no public repository, and names them", () => {
  const mine = { name: "mine", repository: undefined };
  expect(
    repositoryFault([mine, { name: "other", repository: { url: "git+https://example.com/a.git" } }]),
  ).toBe(
    'There is no public repository yet. Once there is one, name it as "repository" in the package.json of mine.',
  );
  expect(repositoryFault([{ ...mine, repository: "github:a/b" }])).toBeUndefined();
});

test("changesets give all published packages one version", () => {
  const config = JSON.parse(readFileSync(path.join(ROOT, ".changeset/config.json"), "utf8")) as {
    readonly fixed: readonly (readonly string[])[];
  };
  expect([...(config.fixed[0] ?? [])].sort()).toEqual(manifests.map(({ name }) => name).sort());
  expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
});
