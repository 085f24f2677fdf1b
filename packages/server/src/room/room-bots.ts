import {
  CloseCode,
  assertFunction,
  assertObject,
  assertWhole,
  checkKeys,
  type InputDefinition,
} from "@paceline/protocol";
import type { WritableFields } from "@paceline/netcode";
import type { Scheduler } from "@paceline/transport";
import type { Hooks } from "../hooks/hooks.js";
import { BotParticipant } from "./bot-participant.js";
import type { PlayerLifecycle } from "./player-lifecycle.js";
import type { PlayerRegistry } from "./player-registry.js";
import type { Player } from "./player.js";
import type { RelayedRoom } from "./room-parts.js";
import type { Room } from "./room.js";

/** The fields of a room's input, as a bot writes them. */
export type BotInput<Inputs> = Inputs extends InputDefinition<infer F> ? WritableFields<F> : undefined;

/** Options of `Room.addBot`. */
export interface BotOptions<Inputs = unknown> {
  /**
   * Called for each bot at each step, before `onTick`: writes its input, which `player.input` then is. In a room without
   * inputs it may move the bot's entities itself. If it throws, the bot is removed.
   */
  readonly drive: (player: Player<Inputs>, input: BotInput<Inputs>, tick: number) => unknown;
  /** Members that the room shall have, 0 to 1000: as many bots come as are missing. Default: one bot, whoever is there. */
  readonly fill?: number;
  /** True: drives the input of players whose link is lost, too, until they are back or leave. Default: false. */
  readonly standsIn?: boolean;
  /** Join options that `onJoin` gets. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The bots of one call of `Room.addBot`. */
export interface Bots {
  /** The bots in the room now, the oldest first. */
  readonly players: readonly Player[];
  /** Removes them, and lets none come any more. */
  remove(): void;
}

interface Crew {
  readonly options: BotOptions;
  readonly bots: Set<BotParticipant>;
  /** Bots that have failed or were kicked. Others do not come for them. */
  lost: number;
  /** Players for whom it has failed to stand in. */
  readonly failedFor: Set<Player>;
}

export interface RoomBotsOptions {
  readonly room: Room;
  readonly hosted: RelayedRoom;
  readonly hooks: Hooks;
  readonly lifecycle: PlayerLifecycle;
  readonly players: PlayerRegistry;
  readonly scheduler: Scheduler;
}

const MAX_FILL = 1000;
const SEAT_WANTED = "a person takes the seat";

/** The bots of a room. They sit on free seats only: whenever people want these, the newest bots leave. */
export class RoomBots {
  /** True from the end of `onCreate` until the room ends: bots come and go only then. */
  isOpen = false;
  readonly #options: RoomBotsOptions;
  readonly #crews = new Set<Crew>();

  constructor(options: RoomBotsOptions) {
    this.#options = options;
  }

  /** Throws {@link ConfigError} for wrong options. */
  add(options: BotOptions): Bots {
    assertObject("addBot", options);
    checkKeys("addBot", options, ["drive", "fill", "standsIn", "options"]);
    assertFunction("addBot.drive", options.drive);
    if (options.fill !== undefined)
      assertWhole("addBot.fill", options.fill, { min: 0, max: MAX_FILL, unit: "members" });
    if (options.options !== undefined) assertObject("addBot.options", options.options);
    const crew: Crew = { options, bots: new Set(), lost: 0, failedFor: new Set() };
    this.#crews.add(crew);
    this.balance();
    const { players } = this.#options;
    return {
      get players() {
        return Array.from(crew.bots, ({ number }) => players.players.get(number)).filter(
          (player) => player?.isIn === true,
        ) as Player[];
      },
      remove: () => {
        this.#crews.delete(crew);
        for (const bot of crew.bots) this.#dismiss(crew, bot, "removed");
      },
    };
  }

  /** Lets bots leave whose seats people have or want, and lets others come where bots are missing. */
  balance(): void {
    if (!this.isOpen) return;
    const { hosted, room } = this.#options;
    let taken = hosted.taken;
    for (const crew of this.#crews) {
      const { fill } = crew.options;
      const wanted = (fill === undefined ? 1 : Math.max(0, fill - taken)) - crew.lost;
      const most = Math.max(0, Math.min(wanted, room.maxPlayers - taken));
      for (const bot of [...crew.bots].slice(most)) this.#dismiss(crew, bot, SEAT_WANTED);
      while (crew.bots.size < most) this.#admit(crew);
      taken += crew.bots.size;
    }
  }

  /** Lets bots drive for a step: themselves, and players whose link is lost. */
  drive(tick: number): void {
    const { players } = this.#options;
    for (const crew of this.#crews) {
      for (const bot of crew.bots) {
        const player = players.players.get(bot.number);
        if (
          player?.isIn &&
          !this.#drives(crew, player, tick, () => bot.end(CloseCode.kicked, "its code failed"))
        )
          bot.end(CloseCode.kicked, "its code failed");
      }
      if (!crew.options.standsIn) continue;
      for (const player of players.players.values())
        if (player.presence.at !== "away") crew.failedFor.delete(player);
        else if (
          !crew.failedFor.has(player) &&
          !this.#drives(crew, player, tick, () => crew.failedFor.add(player))
        )
          crew.failedFor.add(player);
    }
  }

  /** Returns false if the game's code has thrown. `onRejected`: called if its promise rejects. */
  #drives({ options }: Crew, player: Player, tick: number, onRejected: () => unknown): boolean {
    const { hooks } = this.#options;
    const result = hooks.attempt("drive", () => {
      return { answer: options.drive(player, player.drivenInput as never, tick) };
    });
    if (result?.answer instanceof Promise)
      result.answer.catch((error: unknown) => {
        hooks.failed("drive", error);
        onRejected();
      });
    return result !== undefined;
  }

  #admit(crew: Crew): void {
    const { hosted, lifecycle, scheduler } = this.#options;
    const bot = new BotParticipant(hosted.addBot(), scheduler, () => {
      hosted.removeBot(bot.number);
      // One that was dismissed is not in its crew any more.
      if (crew.bots.delete(bot)) crew.lost += 1;
    });
    crew.bots.add(bot);
    const { options = {} } = crew.options;
    const seat = { options, auth: undefined, replaces: undefined, isSpectator: false, address: "" };
    void lifecycle.join(bot, seat as Parameters<PlayerLifecycle["join"]>[1]).then((refusal) => {
      if (refusal !== undefined) bot.end(CloseCode.joinRefused, refusal);
      else if (!bot.isGone) hosted.introduceBot(bot.number, bot.id);
    });
  }

  #dismiss(crew: Crew, bot: BotParticipant, reason: string): void {
    crew.bots.delete(bot);
    bot.end(CloseCode.left, reason);
  }
}
