import type { AuthorityInfo } from "@paceline/protocol";
import type { Log, RelayRoom } from "@paceline/relay";
import { GuardedScheduler, type Scheduler } from "@paceline/transport";
import type { HookLog } from "../hooks/hook-log.js";
import { Hooks, type HookTrace } from "../hooks/hooks.js";
import { newRoomCounters, type RoomCounters } from "../ops/room-counters.js";
import { checkedMessageLimits } from "../players/message-allowance.js";
import { checkedPlayerLimits } from "../players/player-limits.js";
import { MessageHandlers } from "./message-handlers.js";
import { Mirrors } from "./mirrors.js";
import { PlayerInbox } from "./player-inbox.js";
import { PlayerLifecycle } from "./player-lifecycle.js";
import { PlayerRegistry } from "./player-registry.js";
import { RoomBots } from "./room-bots.js";
import { RoomClock } from "./room-clock.js";
import { RoomEntities } from "./room-entities.js";
import { RoomErrors } from "./room-errors.js";
import { RoomSaving } from "./room-saving.js";
import { RoomTimers } from "./room-timers.js";
import type { Room } from "./room.js";
import { TickLoop } from "./tick-loop.js";

/** The relay's half of a room, as far as the game's half uses it. */
export type RelayedRoom = Pick<
  RelayRoom,
  | "addBot"
  | "code"
  | "end"
  | "id"
  | "introduceBot"
  | "isKept"
  | "isLocked"
  | "isPrivate"
  | "maxPlayers"
  | "maxSpectators"
  | "metadata"
  | "name"
  | "openMatch"
  | "removeBot"
  | "taken"
>;

/** The surroundings of a room. */
export interface RoomSetup {
  readonly hosted: RelayedRoom;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly hookLog: Pick<HookLog, keyof HookLog>;
  readonly hookTrace: HookTrace;
  readonly hookTimeoutMs: number;
  /** A hook that takes longer has blocked the server. */
  readonly blockedMs: number;
  /** Called when the room is closed. */
  readonly onClosed: (room: Room) => void;
  /** Called when the last hook of the room has ended, or when the room has failed to open. */
  readonly onOver: () => void;
  /** Called when a hook fails after {@link onClosed}. */
  readonly onLateError: (hook: string) => void;
}

/** The parts of a room that its class does not see. */
export interface RoomParts extends Pick<RoomSetup, "onOver"> {
  readonly hosted: RelayedRoom;
  readonly info: AuthorityInfo;
  readonly scheduler: Scheduler;
  readonly counters: RoomCounters;
  readonly errors: RoomErrors;
  readonly hooks: Hooks;
  readonly clock: RoomClock;
  readonly timers: RoomTimers;
  readonly loop: TickLoop;
  readonly handlers: MessageHandlers;
  readonly players: PlayerRegistry;
  readonly entities: RoomEntities;
  readonly mirrors: Mirrors;
  readonly lifecycle: PlayerLifecycle;
  readonly saving: RoomSaving;
  readonly bots: RoomBots;
  /** Called when the room is closed. */
  readonly onClosed: () => void;
}

/**
 * Makes the parts of a room. `step` runs one step of it. Throws {@link ConfigError} for settings of the room
 * that are out of range.
 */
export function newRoomParts(room: Room, setup: RoomSetup, step: (tick: number) => void): RoomParts {
  const { hosted, hookLog, hookTrace: trace, hookTimeoutMs: timeoutMs, log, blockedMs } = setup;
  const { onOver, onLateError } = setup;
  const messageLimits = checkedMessageLimits(room.messageLimits);
  const playerLimits = checkedPlayerLimits(room.playerLimits);
  const maxOwnEntities = room.playerEntities.reduce((sum, { most = 1 }) => sum + most, 0);
  const { tickHz } = room;
  const counters = newRoomCounters();
  const errors = new RoomErrors({
    ...{ room, hosted, counters, log, blockedMs, onLateError },
    clock: setup.scheduler,
  });
  const scheduler = new GuardedScheduler(setup.scheduler, (error) => hooks.failed("timer", error));
  const hooks: Hooks = new Hooks({
    ...{ scheduler, log: hookLog, timeoutMs, trace },
    onError: (hook, error) => errors.failed(hooks, hook, error),
    onTook: (tookMs) => errors.took(tookMs),
  });
  const players = new PlayerRegistry();
  const maxOwned = playerLimits.entitiesPerRoom;
  const entities = new RoomEntities({ room, scheduler, hooks, hookLog, counters, players, maxOwned });
  const mirrors = new Mirrors(entities);
  const handlers = new MessageHandlers(hooks, counters);
  const loop = new TickLoop({
    scheduler,
    tickHz,
    step: (tick) => hooks.guard("step", () => step(tick)),
    onSkipped: (ticks) => {
      for (const { inputs } of players.values()) inputs?.stoodStill(ticks);
    },
  });
  const inbox = new PlayerInbox({ room, hooks, counters, handlers, entities });
  const lifecycle = new PlayerLifecycle({
    ...{ room, scheduler, counters, hooks, players, entities, inbox, loop },
    ...{ messageLimits, playerLimits, maxOwnEntities },
  });
  const bots = new RoomBots({ room, hosted, hooks, lifecycle, players, scheduler });
  const clock = new RoomClock(scheduler, (fn) => hooks.call("clock", fn));
  const timers = new RoomTimers({ room, clock, scheduler, log, roomId: hosted.id });
  const info = { tickHz, kinds: entities.world.kinds, inputHash: room.inputs?.hash ?? 0 };
  const saving = new RoomSaving({
    ...{ room, info, hooks, players, entities, lifecycle, loop, clock, timers, mirrors },
  });
  return {
    ...{ hosted, info, scheduler, counters, errors, hooks, clock, timers, loop, handlers, players },
    ...{ entities, mirrors, lifecycle, saving, bots, onOver },
    onClosed: () => setup.onClosed(room),
  };
}
