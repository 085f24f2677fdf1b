/** The server of the step `pause`: prints its port, a line for each hook of its rooms, and how many seats are taken. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../pnpm.mjs";

/** @param {string} name */
const built = (name) => import(pathToFileURL(path.join(ROOT, `packages/${name}/dist/index.js`)).href);
const { Room, defineServer } = await built("server");
const { silentLog } = await built("relay");

/** @param {string} hook */
const note = (hook) =>
  /**
   * @this {{ roomId: string }}
   * @param {{ number: number }} player
   */
  function noted(player) {
    console.log(`${hook} ${this.roomId} ${player.number}`);
  };

class Watched extends Room {
  maxPlayers = 32;
}
Object.assign(Watched.prototype, {
  onJoin: note("onJoin"),
  onDrop: note("onDrop"),
  onReconnect: note("onReconnect"),
  onLeave: note("onLeave"),
});

const server = defineServer({
  rooms: { authority: Watched, relayed: { maxPlayers: 32 } },
  queues: { authority: { players: 2 } },
  log: silentLog,
});
console.log(`listens ${new URL(await server.listen(0)).port}`);
setInterval(() => {
  const taken = server
    .rooms()
    .reduce((/** @type {number} */ sum, /** @type {any} */ room) => sum + room.taken, 0);
  console.log(`taken ${taken}`);
}, 500);
