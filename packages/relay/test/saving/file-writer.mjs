/**
 * A process that opens a directory of rooms, for tests that end it. `hold` keeps the directory. `write` saves
 * two rooms without end, and tells each save that was confirmed.
 */
import process from "node:process";
import { fileStore } from "../../dist/saving/stores/file-store.js";

const [task, directory = ""] = process.argv.slice(2);
const store = fileStore(directory);
await store.list();
if (task === "hold") {
  process.send?.("open");
  setInterval(() => undefined, 1000);
}
if (task === "write") {
  for (const id of ["one", "two"]) void write(id);
}

/** @param {string} id */
async function write(id) {
  const [newest] = await store.load(id);
  for (let count = newest ? countOf(newest) + 1 : 1; ; count++) {
    await store.save(id, Buffer.from(`${count} ${"x".repeat(20_000)}`));
    process.send?.({ id, count });
  }
}

/** @param {Uint8Array} bytes */
function countOf(bytes) {
  return Number(Buffer.from(bytes).toString().split(" ", 1)[0]);
}
