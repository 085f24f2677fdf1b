import type { Seat } from "./system.js";

/** The whole clients of a probe. */
export const CHECKERS = 8;

export interface Seating {
  readonly players: number;
  readonly roomPlayers: number;
}

function seat(index: number, roomPlayers: number): Seat {
  return { index, room: Math.floor(index / roomPlayers), roomPlayers };
}

/**
 * Returns the seats of the checkers, in the order of their joins. They are spread over all joins, because
 * servers send in the order of the joins. The first and the last player are checkers.
 */
export function checkerSeats({ players, roomPlayers }: Seating): Seat[] {
  const last = Math.min(CHECKERS, players) - 1;
  const rooms = players / roomPlayers;
  return Array.from({ length: last + 1 }, (_, number) => {
    const share = last > 0 ? number / last : 0;
    if (rooms < CHECKERS || number === 0) return seat(Math.round(share * (players - 1)), roomPlayers);
    // The last seat of a room of its own.
    const room = Math.round(share * (rooms - 1));
    return seat((room + 1) * roomPlayers - 1, roomPlayers);
  });
}

/**
 * Returns the seats of the bots of one process, one list for each stage. A stage is what joins before the
 * checker of that number; the last one is what joins after all checkers. A room has its bots in one process if
 * there are several rooms, because the first player creates the room.
 */
export function botStages(seating: Seating, process: number, processes: number): Seat[][] {
  const { players, roomPlayers } = seating;
  const checkers = checkerSeats(seating).map(({ index }) => index);
  const stages: Seat[][] = Array.from({ length: checkers.length + 1 }, () => []);
  for (let index = 0; index < players; index++) {
    if (checkers.includes(index)) continue;
    const own = seat(index, roomPlayers);
    if ((players > roomPlayers ? own.room : index) % processes !== process) continue;
    const stage = checkers.findIndex((checker) => checker > index);
    stages[stage < 0 ? checkers.length : stage]!.push(own);
  }
  return stages;
}
