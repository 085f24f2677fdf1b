import { defineEntity, vec2, type InputDefinition, type OwnedEntity, type Room } from "@paceline/client";
import { PlayerBot, type PlayerBotOptions } from "./player-bot.js";
import { writeRandomInput } from "./random-input.js";
import type { RoomDefinitions } from "./room-definitions.js";

const RADIUS = 100;
const TURN_SECONDS = 5;
const HOLD_MS = 500;

/** Pages that do not know this kind of entity draw nothing. */
const Walker = defineEntity(
  "paceline-bot",
  { position: vec2({ range: [-RADIUS, RADIUS], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);
const MESSAGE = "paceline-bot";

/** `definitions`: those of the room's authority, if they are known. */
export interface RoomBotOptions extends PlayerBotOptions {
  readonly definitions: RoomDefinitions | undefined;
}

/**
 * A player of any room. In a mesh it walks in a circle and sends a numbered message every two seconds. In a
 * room with an authority it reads all kinds of entities and holds random inputs, each for half a second. If it
 * does not know the room's definitions, it does neither.
 */
export class RoomBot extends PlayerBot {
  readonly #definitions: RoomDefinitions | undefined;
  #walker: OwnedEntity<typeof Walker> | undefined;
  #input: object | undefined;
  #nextInputMs = 0;
  #isBlind = false;

  constructor(options: RoomBotOptions, index: number) {
    super(options, index);
    this.#definitions = options.definitions;
  }

  /** True in a room with an authority whose entities the bot does not know, so that they are not sent to it. */
  get isBlind(): boolean {
    return this.#isBlind;
  }

  protected override enter(room: Room): void {
    if (room.authority) {
      const { inputs, entities = [] } = this.#definitions ?? {};
      this.#isBlind = !this.#definitions;
      // The authority sends only the kinds that a game reads.
      for (const kind of entities) room.entities(kind);
      if (inputs) this.#drive(room, inputs);
      return;
    }
    this.#walker = room.spawn(Walker);
    room.onMessage(MESSAGE, (number, { number: player }) => this.hear(player, Number(number)));
  }

  protected override play(room: Room, nowMs: number): void {
    const inputs = this.#definitions?.inputs;
    if (this.#input && inputs && nowMs >= this.#nextInputMs) {
      this.#nextInputMs = nowMs + HOLD_MS;
      writeRandomInput(inputs, this.#input);
    }
    if (!this.#walker) return;
    const angle = (nowMs / 1000 / TURN_SECONDS + this.index / 10) * 2 * Math.PI;
    this.#walker.position.set(RADIUS * Math.cos(angle), RADIUS * Math.sin(angle));
    room.advance(nowMs);
  }

  protected override speak(room: Room, number: number): void {
    // A game's authority does not know this message.
    if (!room.authority) room.send(MESSAGE, number);
  }

  #drive(room: Room, inputs: InputDefinition): void {
    this.#input = room.input(inputs);
    // The room may be a new one, for example after a save of its file.
    room.onReconnect(({ resumed }) => {
      if (!resumed) this.#input = room.input(inputs);
    });
  }
}
