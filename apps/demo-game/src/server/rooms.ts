import { GRAND_PRIX } from "../net/grand-prix.js";
import { WORLD } from "../net/world.js";
import { OpenWorldRoom } from "./open-world-room.js";
import { RaceRoom } from "./race-room.js";
import { worldRooms } from "./world-room.js";

const MAX_COMPUTERS = 7;

function computersOf(text: string | undefined): number {
  const count = Number(text ?? 0);
  if (Number.isInteger(count) && count >= 0 && count <= MAX_COMPUTERS) return count;
  throw new Error(`RACE_COMPUTERS: expected a whole number from 0 to ${MAX_COMPUTERS}, got "${text}"`);
}

const count = computersOf(process.env["RACE_COMPUTERS"]);

class FilledRaceRoom extends RaceRoom {
  override readonly computers = count;
}

/** The export that `relay-server --game FILE` reads: kinds of rooms by name. */
export const rooms = { [GRAND_PRIX]: FilledRaceRoom, [WORLD]: OpenWorldRoom, ...worldRooms };
