import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { defineServer } from "@paceline/server";
import { ArenaGame } from "@paceline/example-arena/game";
import { Arena, type GameServer } from "@paceline/example-arena/rooms";
import { Cell, Food, Virus } from "@paceline/example-arena/world";
import { ONE_ADDRESS_LIMITS } from "../bots/one-address-limits.js";
import type { ArenaSystem, Drawn, TruthLog } from "./arena-system.js";

/** The starter `arena` as it is. */
export const pacelineArena: ArenaSystem = {
  name: "paceline",
  packages: [],
  async serve(port, log) {
    class LoggedArena extends Arena {
      static log: TruthLog = log;
      override onTick(seconds: number): void {
        log.step(
          () => super.onTick(seconds),
          () => this.entitiesOf(Cell).map(({ id, position: { x, y } }): Drawn => ({ id, x, y })),
        );
      }
    }
    const server = defineServer({
      rooms: { arena: LoggedArena },
      limits: ONE_ADDRESS_LIMITS,
      log: silentLog,
    });
    await server.listen(port);
  },
  async join(port, index) {
    const client = new Client<GameServer>(`http://127.0.0.1:${port}`, {
      profile: "action",
      transports: ["websocket"],
      webSocket: NodeWebSocket,
    });
    const room = await client.joinOrCreate("arena", { name: `bot ${index}` });
    const game = new ArenaGame(room);
    const [cells, food, viruses] = [room.entities(Cell), room.entities(Food), room.entities(Virus)];
    let read = 0;
    return {
      steer: (x, y) => void Object.assign(game.steer, { x, y }),
      split: () => room.send("split", {}),
      frame(draw) {
        for (const { position, color } of food) read += position.x + position.y + color;
        for (const { position } of viruses) read += position.x + position.y;
        for (const { id, isMine, mass, shown } of cells) {
          const { x, y } = shown.position;
          read += mass;
          if (!isMine) draw({ id, x, y });
        }
      },
    };
  },
};
