import { ConfigError, MOST_KINDS } from "@paceline/protocol";
import type {
  Grant,
  HostedRoom,
  JoinRequest,
  Log,
  MatchRefusal,
  RoomAuthority,
  RoomHost,
  RoomOptions,
} from "@paceline/relay";
import type { Scheduler } from "@paceline/transport";
import { Hooks } from "./hooks.js";
import { issuesText } from "./message-desk.js";
import { RoomCore } from "./room-core.js";
import type { RoomReport } from "./room-report.js";
import type { Room, RoomClass } from "./room.js";

export interface ClassAuthorityOptions {
  readonly name: string;
  readonly roomClass: RoomClass;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly hookTimeoutMs: number;
  readonly blockedMs: number;
}

/** The authority of a kind of rooms: opens one of its class for each. */
export class ClassAuthority implements RoomAuthority {
  readonly filterBy: readonly string[];
  readonly #options: ClassAuthorityOptions;
  readonly #hooks: Hooks;
  readonly #cores = new Set<RoomCore>();
  readonly #errors: Record<string, number> = {};

  constructor(options: ClassAuthorityOptions) {
    const { scheduler, log, hookTimeoutMs, name, roomClass } = options;
    this.#options = options;
    this.filterBy = roomClass.filterBy;
    this.#hooks = new Hooks({
      scheduler,
      log,
      roomName: name,
      timeoutMs: hookTimeoutMs,
      onError: (hook) => (this.#errors[hook] = (this.#errors[hook] ?? 0) + 1),
    });
  }

  /** Hooks that failed before there was a room, by name. */
  get hookErrors(): Readonly<Record<string, number>> {
    return this.#errors;
  }

  async authorize({ roomName, options, authToken, caller }: JoinRequest): Promise<Grant | MatchRefusal> {
    const { roomClass } = this.#options;
    const checked = await this.#hooks.wait("optionsSchema", () =>
      roomClass.optionsSchema ? roomClass.optionsSchema["~standard"].validate(options) : { value: options },
    );
    if (!checked.ok) return failed(checked.refusal);
    if (checked.value.issues) {
      const message = `options: ${issuesText(checked.value.issues)}`;
      return { status: 400, code: "match/bad-request", message };
    }
    const granted = checked.value.value as RoomOptions;
    const request = { roomName, options: granted, token: authToken, ...caller };
    const outcome = await this.#hooks.wait("onAuth", () => roomClass.onAuth(request));
    if (!outcome.ok) return outcome.refusal === undefined ? failed(undefined) : refused(outcome.refusal);
    if (!outcome.value) return refused("not let in");
    return { auth: outcome.value, options: granted };
  }

  async open(hosted: HostedRoom, options: RoomOptions): Promise<RoomHost | MatchRefusal> {
    const { roomClass, scheduler, log, hookTimeoutMs, blockedMs } = this.#options;
    const outcome = await this.#hooks.wait("constructor", () => {
      const room = new roomClass();
      assertRoom(room);
      const onClosed = (core: RoomCore): void => void this.#cores.delete(core);
      return new RoomCore({ room, hosted, scheduler, log, hookTimeoutMs, blockedMs, onClosed });
    });
    if (!outcome.ok) return failed(outcome.refusal);
    const core = outcome.value;
    this.#cores.add(core);
    return (await core.open(options)) ? core : failed(undefined);
  }

  reports(): RoomReport[] {
    return Array.from(this.#cores, ({ hosted, players, world, loop, counters }) => ({
      roomId: hosted.id,
      roomName: hosted.name,
      players: players.size,
      entities: world.records.size,
      tick: loop.tick,
      skippedTicks: loop.skipped,
      lateness: loop.lateness,
      duration: loop.duration,
      counters,
    }));
  }
}

function refused(message: string): MatchRefusal {
  return { status: 403, code: "match/refused", message };
}

/** What went wrong is for the log, not for strangers. */
function failed(refusal: string | undefined): MatchRefusal {
  return { status: 500, code: "match/room-failed", message: refusal ?? "the room failed" };
}

function assertRoom(room: Room): void {
  const { tickHz, maxClients, entities, reconnectSeconds } = room;
  if (!(tickHz >= 1 && tickHz <= 255)) {
    throw new ConfigError({ field: "tickHz", value: tickHz, expected: "1 to 255 Hz" });
  }
  if (!Number.isInteger(maxClients) || maxClients < 1 || maxClients > 1000) {
    throw new ConfigError({ field: "maxClients", value: maxClients, expected: "1 to 1000 players" });
  }
  if (entities.length > MOST_KINDS) {
    throw new ConfigError({
      field: "entities",
      value: entities.length,
      expected: `at most ${MOST_KINDS} kinds`,
    });
  }
  if (!(reconnectSeconds >= 0 && reconnectSeconds <= 3600)) {
    throw new ConfigError({ field: "reconnectSeconds", value: reconnectSeconds, expected: "0 to 3600 s" });
  }
}
