import { Client } from "@paceline/client";
import { ArenaCar, ArenaClock, ArenaInput } from "../../room/systems/arena-kinds.js";
import { watchRoom } from "./watch-room.js";

const server = new URLSearchParams(location.search).get("server")!;
const client = new Client(server, { profile: "racing", transports: ["websocket"] });
const room = await client.joinOrCreate("arena", { index: 0 });
const input = room.input(ArenaInput);
Object.assign(input, { steer: -127, throttle: 127, brake: 1.25, aim: 2.5 });
// The server sends only entities of the kinds that the page asks for.
for (const kind of [ArenaCar, ArenaClock]) room.entities(kind);

watchRoom({
  readings: {
    newest: () => {
      let sum = 0;
      for (const { position } of room.entities(ArenaCar)) sum += position.x + position.y;
      return sum;
    },
    shown: () => {
      let sum = 0;
      for (const { shown } of room.entities(ArenaCar)) sum += shown.position.x + shown.position.y;
      return sum;
    },
  },
  sendInput: (number) => (input.number = number),
  tick: () => [...room.entities(ArenaClock)][0]?.worldTick ?? 0,
  positions: () => [...room.entities(ArenaCar)].map(({ position }) => [position.x, position.y]),
});
