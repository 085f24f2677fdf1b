/**
 * A package registry on loopback with this project's packed packages. It redirects npm to the usual registry
 * for all others.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { runChild } from "../children.mjs";
import { manifestIn } from "./tarballs.mjs";

/** @param {string} tarball */
async function entryOf(tarball) {
  const bytes = readFileSync(tarball);
  const dist = {
    file: path.basename(tarball),
    shasum: createHash("sha1").update(bytes).digest("hex"),
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
  };
  return { manifest: await manifestIn(tarball), bytes, dist };
}

/**
 * @param {readonly string[]} tarballs
 * @returns {Promise<{ url: string, integrities: Map<string, string>, stop: () => void }>} integrities: of the
 * packed packages,
 * by name, in the form of a lockfile
 */
export async function localRegistry(tarballs) {
  const usual = (await runChild("npm", ["config", "get", "registry"])).output.trim().split("\n").at(-1) ?? "";
  const entries = await Promise.all(tarballs.map(entryOf));
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    const file = entries.find(({ dist }) => name === `-/${dist.file}`);
    if (file) return void response.end(file.bytes);
    const entry = entries.find(({ manifest }) => manifest.name === name);
    if (!entry)
      return void response.writeHead(302, { location: new URL(request.url ?? "", usual).href }).end();
    const { manifest, dist } = entry;
    const version = { ...manifest, dist: { ...dist, tarball: `${url}-/${dist.file}` } };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: manifest.version },
        versions: { [manifest.version]: version },
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const integrities = new Map(entries.map(({ manifest, dist }) => [manifest.name, dist.integrity]));
  return { url, integrities, stop };
}
