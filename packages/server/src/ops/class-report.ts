import { Histogram } from "./histogram.js";
import { addRoomCounters, newRoomCounters, type RoomCounters } from "./room-counters.js";

interface Measurements {
  readonly roomName: string;
  /** Number of players in the room, or in the open rooms. */
  readonly players: number;
  readonly entities: number;
  /** Steps that were due but skipped. */
  readonly skippedTicks: number;
  /** Lateness of steps, ms. */
  readonly lateness: Histogram;
  /** Duration of steps, ms. */
  readonly duration: Histogram;
  readonly counters: RoomCounters;
}

/** Counters and measurements of one room. The objects are live. */
export interface RoomReport extends Measurements {
  readonly roomId: string;
  readonly tick: number;
}

/** Counters and measurements of all rooms of one class since the start, disposed ones included. */
export interface ClassReport extends Measurements {
  /** Number of open rooms. */
  readonly rooms: number;
  /** Steps made. */
  readonly ticks: number;
}

/** Keeps the totals of a class's closed rooms, because counters for metrics must never decrease. */
export class ClassTally {
  readonly #past = newTotals();

  /** Adds the totals of a closed room. */
  add(report: RoomReport): void {
    addTo(this.#past, report);
  }

  report(
    roomName: string,
    open: readonly RoomReport[],
    early: Readonly<Record<string, number>>,
  ): ClassReport {
    const totals = newTotals();
    addTo(totals, { ...this.#past, tick: this.#past.ticks });
    let [players, entities] = [0, 0];
    for (const room of open) {
      addTo(totals, room);
      players += room.players;
      entities += room.entities;
    }
    const { hookErrors } = totals.counters;
    for (const [hook, count] of Object.entries(early)) hookErrors[hook] = (hookErrors[hook] ?? 0) + count;
    return { roomName, rooms: open.length, players, entities, ...totals };
  }
}

function newTotals() {
  return {
    ticks: 0,
    skippedTicks: 0,
    lateness: new Histogram(),
    duration: new Histogram(),
    counters: newRoomCounters(),
  };
}

function addTo(
  totals: ReturnType<typeof newTotals>,
  more: Pick<RoomReport, "tick" | "skippedTicks" | "lateness" | "duration" | "counters">,
): void {
  totals.ticks += more.tick;
  totals.skippedTicks += more.skippedTicks;
  totals.lateness.addAll(more.lateness);
  totals.duration.addAll(more.duration);
  addRoomCounters(totals.counters, more.counters);
}
