import { ByteMeter, type SwarmBot, type WebRtc } from "paceline/bots";
import { Client, type Room, type WritableFields } from "@paceline/client";
import { carAt, idleInput, type CarState } from "../car/car-state.js";
import { STEP_MS } from "../car/step-car.js";
import { ComputerDriver, type DriverDecision } from "../drivers/computer-driver.js";
import { identityOf } from "../drivers/driver-options.js";
import { skillOf } from "../drivers/racecraft.js";
import { Drive, GRAND_PRIX, RaceCar, readRaceCar } from "../net/grand-prix.js";
import { ROOM_NAME } from "../net/join-race.js";
import { Participant } from "../net/participant.js";
import { circuit } from "../track/circuit.js";
import type { BotOptions } from "./bot-options.js";

const CHAT_PERIOD_MS = 2000;
const TICKS_PER_DECISION = 3;
const COLOR = "#2f80ed";

/** One player of the swarm. */
export class Bot implements SwarmBot {
  readonly bytes = new ByteMeter();
  joinMs = 0;
  lost = 0;
  heard = 0;
  drops = 0;
  readonly #options: BotOptions;
  readonly #index: number;
  readonly #name: string;
  readonly #driver: ComputerDriver;
  readonly #car: CarState = carAt({ x: 0, y: 0, headingRad: 0 });
  /** Number of the newest message of each other, by name. */
  readonly #newest = new Map<string, number>();
  #room: Room | undefined;
  #participant: Participant | undefined;
  #input: WritableFields<typeof Drive.definition.fields> | undefined;
  #said = 0;
  #ticks = 0;
  #nextChatMs = 0;

  constructor(options: BotOptions, index: number) {
    this.#options = options;
    this.#index = index;
    this.#name = `bot-${index}`;
    this.#driver = new ComputerDriver(circuit, skillOf(index));
  }

  get rttMs(): number | undefined {
    return this.#room?.authority?.rttMs;
  }

  get paths(): readonly string[] {
    const room = this.#room;
    if (!room) return [];
    if (room.authority) return [room.transport.server.stateLink ?? "none"];
    return room.peers.map(({ path }) => path);
  }

  async join(server: string, webRtc: WebRtc | undefined): Promise<void> {
    const { mode, isDriving, room: name } = this.#options;
    const client = new Client(server, {
      profile: "racing",
      transports: webRtc ? ["webrtc", "websocket"] : ["websocket"],
      webSocket: this.bytes.socketClass(),
      webRtc: webRtc && this.bytes.linkMaker(webRtc),
    });
    const startedMs = performance.now();
    const kind = mode === "server" ? GRAND_PRIX : ROOM_NAME;
    const asked = name === ROOM_NAME ? kind : name;
    const options = { name: this.#name, color: COLOR, isSpectator: !isDriving };
    const room = await client.joinOrCreate(asked, mode === "server" ? options : {});
    this.joinMs = performance.now() - startedMs;
    this.#enter(room);
  }

  advance(nowMs: number): void {
    const room = this.#room;
    if (!room) return;
    if (this.#participant) {
      this.#participant.update();
      // The mesh's cars have their steps here, two for each of the swarm's.
      for (const atMs of [nowMs - STEP_MS, nowMs]) {
        this.#participant.step(this.#wishIn(this.#participant), atMs);
      }
    } else this.#drive(room);
    if (nowMs < this.#nextChatMs || room.state !== "joined") return;
    this.#nextChatMs = nowMs + CHAT_PERIOD_MS;
    this.#said += 1;
    const message = { text: `${this.#name} ${this.#said}` };
    room.send("chat", message, room.authority);
  }

  leave(): void {
    this.#participant?.dispose();
    this.#participant = undefined;
    void this.#room?.leave();
    this.#room = undefined;
  }

  #enter(room: Room): void {
    this.#room = room;
    this.#nextChatMs = performance.now() + (this.#index % 20) * 100;
    room.onDrop(() => (this.drops += 1));
    room.onMessage("chat", (message) => this.#hear((message as { readonly text?: unknown }).text));
    if (this.#options.mode === "server") {
      if (this.#options.isDriving) this.#input = room.input(Drive);
      return;
    }
    const card = { ...identityOf(this.#index), isComputer: true };
    this.#participant = new Participant(room, circuit, card, () => performance.now(), {
      onGrid: () => this.#driver.rest(),
    });
  }

  /** Messages are numbered by who sends them: what is missing between two was lost. */
  #hear(text: unknown): void {
    const [name = "", number = ""] = String(text).split(" ");
    const newest = this.#newest.get(name);
    this.#newest.set(name, Number(number));
    this.heard += 1;
    if (newest !== undefined && Number(number) > newest + 1) this.lost += Number(number) - newest - 1;
  }

  #drive(room: Room): void {
    const input = this.#input;
    this.#ticks += 1;
    // The swarm's own processor time shall not be what is measured: no driver looks at the others, or thinks faster.
    if (!input || (this.#ticks + this.#index) % TICKS_PER_DECISION !== 0) return;
    for (const { isMine, shown } of room.entities(RaceCar)) {
      if (!isMine) continue;
      readRaceCar(shown, this.#car);
      if (shown.isHeld) this.#driver.rest();
    }
    const { steer, throttle, handbrake, reset } = this.#driver.decide(this.#car, []);
    Object.assign(input, { steer, throttle, handbrake });
    if (reset) room.send("reset", {}, room.authority);
  }

  #wishIn({ racer, remotes, session }: Participant): DriverDecision | typeof idleInput {
    if (!this.#options.isDriving || session.phase !== "racing") return idleInput;
    const decision = this.#driver.decide(racer.car, remotes);
    if (decision.reset) racer.resetToTrack();
    return decision;
  }
}
