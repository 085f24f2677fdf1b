import type { MatchRefusal, RelayRoom, RestoredRoom, RoomCallbacks, RoomOptions } from "@paceline/relay";
import { failureText, Hooks } from "../hooks/hooks.js";
import { ClassTally, type ClassReport, type RoomReport } from "../ops/class-report.js";
import type { RoomSetup } from "./room-parts.js";
import { assertRoom } from "./room-settings.js";
import { Room, type RoomClass } from "./room.js";

export interface RunningRoomsOptions extends Pick<
  RoomSetup,
  "scheduler" | "log" | "hookLog" | "hookTrace" | "hookTimeoutMs" | "blockedMs"
> {
  /** Name of the kind of room. */
  readonly name: string;
  readonly roomClass: RoomClass;
}

/** The rooms of one class: an instance of it for each room of the relay. */
export class RunningRooms {
  /** Runs the hooks of the class itself, and the constructor of its rooms. */
  readonly hooks: Hooks;
  readonly #options: RunningRoomsOptions;
  readonly #open = new Set<Room>();
  /** Promises of all rooms whose last hook has not ended. */
  readonly #running = new Set<Promise<void>>();
  readonly #tally = new ClassTally();
  /** Hooks that failed before their room was open, or after it ended, counted by name. */
  readonly #errors: Record<string, number> = {};

  constructor(options: RunningRoomsOptions) {
    const { scheduler, hookLog: log, hookTrace: trace, hookTimeoutMs: timeoutMs } = options;
    this.#options = options;
    this.hooks = new Hooks({ scheduler, log, timeoutMs, trace, onError: (hook) => this.#failed(hook) });
  }

  /** Opens a room of the class, as `RoomAuthority.open`. */
  async open(
    hosted: RelayRoom,
    options: RoomOptions,
    restored?: RestoredRoom,
  ): Promise<RoomCallbacks | MatchRefusal> {
    const { roomClass } = this.#options;
    let onOver = (): void => undefined;
    const over = new Promise<void>((resolve) => (onOver = resolve));
    // Create the room before the first `await`: the relay needs its number of places when others join
    // meanwhile.
    const room = this.hooks.attempt("constructor", () => {
      const made = new roomClass();
      assertRoom(made);
      Room.attach(made, {
        ...this.#options,
        hosted,
        onClosed: (closed) => this.#closed(closed),
        onOver,
        onLateError: (hook) => this.#failed(hook),
      });
      return made;
    });
    if (!room) return roomFailed("constructor");
    this.#open.add(room);
    this.#running.add(over);
    void over.then(() => this.#running.delete(over));
    try {
      return (await Room.open(room, options, restored)) ?? roomFailed(restored ? "onRestore" : "onCreate");
    } catch (error) {
      return roomFailed("onRestore", error instanceof Error ? error.message : String(error));
    }
  }

  reports(): RoomReport[] {
    return Array.from(this.#open, reportOf);
  }

  /** Resolves when the last hook of every room has ended. */
  async allOver(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Returns totals of all rooms of the class, closed ones included. */
  classReport(): ClassReport {
    return this.#tally.report(this.#options.name, this.reports(), this.#errors);
  }

  #failed(hook: string): void {
    this.#errors[hook] = (this.#errors[hook] ?? 0) + 1;
  }

  #closed(room: Room): void {
    if (this.#open.delete(room)) this.#tally.add(reportOf(room));
  }
}

function reportOf(room: Room): RoomReport {
  const { hosted, players, entities, loop, counters } = Room.partsOf(room);
  return {
    roomId: hosted.id,
    roomName: hosted.name,
    players: players.players.size,
    entities: entities.world.records.size,
    tick: loop.tick,
    skippedTicks: loop.skipped,
    lateness: loop.lateness,
    duration: loop.duration,
    counters,
  };
}

/** Returns the refusal of players whose room's code failed in this hook. */
export function roomFailed(hook: string, message = failureText(hook)): MatchRefusal {
  return { status: 500, code: "match/room-failed", message };
}
