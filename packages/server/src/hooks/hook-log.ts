import type { Clamp } from "@paceline/netcode";
import type { InterestFault } from "@paceline/netcode/interest";
import { LogThrottle, stackOf, type Log, type LogFields } from "@paceline/relay";
import type { Clock } from "@paceline/transport";
import type { BudgetShortage } from "../states/room-replication.js";
import type { Refusal } from "./hooks.js";

/** The answer of a room to each fault of its interest. */
const faultMessages: Readonly<Record<InterestFault["kind"], string>> = {
  position: "a place is no finite number: what has it stays where it was",
  outside: "a place outside the world of the room's interest counts as on its border",
  viewpoint: "the entity from which a player looked was despawned: it looks from its last place",
  rule: "interest.relevant failed: the entity is hidden from the player",
  "slow-rule": "interest.relevant takes too long for a step: some players get their states a step later",
  visibility: "interest.cellVisible failed: the cell is hidden",
  crowd: "more entities near a player than interest.maxEntities: it sees the most important ones",
  budget: "stateBytesPerSecond is too small for what is near a player, even at the slowest rate",
};

/** Logs the failed hooks of one room class: at most one line a second for each hook, over all rooms. */
export class HookLog {
  readonly #log: Log;
  readonly #roomName: string;
  readonly #lines: LogThrottle;
  /** Fields and kinds of which a line was written. Code may repeat its mistake in every step. */
  readonly #said = new Set<string>();
  #hasWarnedOfShortage = false;

  constructor(log: Log, clock: Clock, roomName: string) {
    this.#log = log;
    this.#lines = new LogThrottle(clock);
    this.#roomName = roomName;
  }

  failed(hook: string, error: unknown, startedBy?: string): void {
    const by = startedBy !== undefined && { startedBy };
    const fields = { room: this.#roomName, hook, ...by, error: stackOf(error) };
    this.#lines.write(this.#log.error, "a hook failed", fields, hook);
  }

  /** Logs a refusal of the kind `unavailable`. Other refusals are the game's decisions and need no log. */
  refused(hook: string, { kind, message, cause }: Refusal): void {
    if (kind !== "unavailable") return;
    const fields = { room: this.#roomName, hook, reason: message, error: stackOf(cause) };
    this.#lines.write(this.#log.warn, "a hook could not decide", fields, hook);
  }

  /** Logs a value that a room's code wrote out of its range, once for each field. */
  clamped({ field, value, range: [min, max], unit }: Clamp): void {
    const fields = { room: this.#roomName, field, value, range: `${min} to ${max} ${unit}`.trim() };
    this.#once(field, "a value out of its range was clamped", fields);
  }

  /** Logs that a room's code wrote a despawned entity, once for each kind. `entity` says which one. */
  stale(kind: string, entity: string): void {
    this.#once(`${kind} despawned`, "a despawned entity was written", { room: this.#roomName, entity });
  }

  /** Logs a mistake that a room's interest survives, once for each kind. */
  misjudged({ kind, entity, viewer, error }: InterestFault): void {
    const fields = {
      room: this.#roomName,
      ...(entity !== undefined && { entity }),
      ...(viewer !== undefined && { player: viewer }),
      ...(error !== undefined && { error: stackOf(error) }),
    };
    this.#once(`interest ${kind}`, faultMessages[kind], fields);
  }

  #once(key: string, message: string, fields: LogFields): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#log.warn(message, fields);
  }

  /** Logs that entities wait because a player's budget of states is too small. Logs once. */
  readonly shortOfBudget = (shortage: BudgetShortage): void => {
    if (this.#hasWarnedOfShortage) return;
    this.#hasWarnedOfShortage = true;
    const { waiting, bytesPerSecond: stateBytesPerSecond, neededBytesPerSecond } = shortage;
    const fields = { room: this.#roomName, waiting, stateBytesPerSecond, neededBytesPerSecond };
    this.#log.warn("stateBytesPerSecond is too small for what moves in the room: entities wait", fields);
  };
}
