/** A player of the step `busy-join`: joins a room, prints how that ended, and stays. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../pnpm.mjs";

const [url, kind] = process.argv.slice(2);
const built = (/** @type {string} */ file) =>
  import(pathToFileURL(path.join(ROOT, `packages/client/dist/${file}.js`)).href);
const [{ Client }, { NodeWebSocket }] = await Promise.all([built("index"), built("node")]);
const client = new Client(url, { profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket });
try {
  const room = await client.joinOrCreate(kind);
  console.log(`joined ${room.roomId}`);
} catch (error) {
  console.log(/** @type {{ code?: string }} */ (error).code ?? String(error));
}
