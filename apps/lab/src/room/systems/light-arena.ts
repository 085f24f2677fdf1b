import {
  ByteReader,
  PayloadKind,
  SnapshotReader,
  WEBSOCKET_PROTOCOL,
  planState,
  readFeedback,
  readServerMessage,
  restore,
  writeAuthority,
  writeInputs,
  type EntityRows,
  type SnapshotListener,
  type ViewTerms,
} from "@paceline/protocol";
import { Session, WebSocketLink, systemScheduler } from "@paceline/transport";
import { NodeWebSocket } from "@paceline/transport/node";
import type { ClientOptions, RoomClient, SeenState } from "../system.js";
import { TICK_HZ, type Car } from "../world.js";
import { ArenaCar, ArenaClock, ArenaInput } from "./arena-kinds.js";
import { sentMsOf } from "./arena.js";

const JOIN_LIMIT_MS = 20_000;
const HISTORY_TICKS = 64;
const definitions = [ArenaCar, ArenaClock];
const CAR = 0;

/**
 * Joins with a client that decodes all states and draws nothing, so that a hundred fit into one process. To
 * the server it is an
 * ordinary player, with the view `terms` of a whole client.
 */
export async function joinArenaLightly(
  { port, index, players, onState }: ClientOptions,
  terms: ViewTerms,
): Promise<RoomClient> {
  const view = new LightView(players, onState);
  let [enter, refuse] = [(): void => undefined, (_error: Error): void => undefined];
  const entered = new Promise<void>((resolve, reject) => {
    [enter, refuse] = [resolve, reject];
  });
  const session = new Session({
    scheduler: systemScheduler,
    handlers: {
      onReliable: (payload) => {
        const isControl = payload[0] === PayloadKind.control;
        if (isControl && readServerMessage(payload.subarray(1))?.type === "welcome") enter();
      },
      onState: (body, tick) => view.read(body, tick),
      onLinkDown: (_link, { reason }) => refuse(new Error(reason)),
    },
  });
  const request = { version: 5, method: "joinOrCreate", target: "arena", options: { index } };
  const credential = `join.${Buffer.from(JSON.stringify(request)).toString("base64url")}`;
  const socket = new NodeWebSocket(`ws://127.0.0.1:${port}/link`, [WEBSOCKET_PROTOCOL, credential]);
  session.attach(new WebSocketLink(socket, { scheduler: systemScheduler }), {
    preference: 1,
    needsProof: false,
    connectTimeoutMs: JOIN_LIMIT_MS,
    timeoutMs: JOIN_LIMIT_MS,
    heartbeatMs: 1000,
  });
  await entered;
  session.sendReliable(writeAuthority({ ...terms, type: "view" }));
  return { sendInput: (number) => session.sendInput(inputOf(number)) };
}

const { definition: inputDefinition } = ArenaInput;
const inputRow = new Float32Array(inputDefinition.components.length);

/** Returns the input that the other clients send. */
function inputOf(number: number): Uint8Array {
  inputRow.set([number & 0xffff, -127, 127, 1.25, 2.5]);
  return writeInputs(ArenaInput, { newest: number & 0xffff, rows: [inputRow] });
}

const columns = ["position.x", "position.y", "velocity.x", "velocity.y", "yaw", "index", "lastInput"].map(
  (name) => ArenaCar.components.findIndex((component) => component.name === name),
);

/** The newest decoded state; a car's values are restored only when they are read. */
class LightView implements SeenState, SnapshotListener {
  tick = 0;
  sentMs = 0;
  count = 0;
  readonly #players: number;
  readonly #onState: ClientOptions["onState"];
  readonly #reader = new SnapshotReader({
    plans: definitions.map((definition) => planState(definition, { tickHz: TICK_HZ })),
    historyTicks: HISTORY_TICKS,
    maxEntities: 2000,
  });
  readonly #cars: (EntityRows | undefined)[] = [];
  readonly #row = new Float32Array(64);
  #roomTick = -1;
  #clock: EntityRows | undefined;

  constructor(players: number, onState: ClientOptions["onState"]) {
    this.#players = players;
    this.#onState = onState;
  }

  /** Reads a packet's body; calls the listener once all entities have a state of its tick. */
  read(body: Uint8Array, tick: number): void {
    const reader = new ByteReader(body);
    if (!readFeedback(reader)) return;
    if (tick !== this.#roomTick) [this.#roomTick, this.count, this.#clock] = [tick, 0, undefined];
    this.#reader.read(reader.rest(), tick, this);
    if (!this.#clock || this.count < this.#players) return;
    this.#restore(this.#clock);
    this.tick = this.#row[0]!;
    this.sentMs = sentMsOf(this.#row[1]!);
    this.#onState(this);
    this.#clock = undefined;
  }

  onState(entity: EntityRows): void {
    if (entity.kind !== CAR) {
      this.#clock = entity;
      return;
    }
    this.count += 1;
    // The room spawns the cars in the order of their players, before the clock.
    this.#cars[entity.id - 1] = entity;
  }

  onRemoved(): void {
    throw new Error("nothing ever leaves the arena");
  }

  onDesync(id: number): void {
    throw new Error(`entity ${id} was decoded wrongly`);
  }

  car(index: number): Car | undefined {
    const entity = this.#cars[index];
    if (!entity) return undefined;
    this.#restore(entity);
    const [x, y, vx, vy, yaw, own, lastInput] = columns.map((column) => this.#row[column]!);
    return { index: own!, x: x!, y: y!, vx: vx!, vy: vy!, yaw: yaw!, lastInput: lastInput! };
  }

  #restore(entity: EntityRows): void {
    restore(entity.plan, entity.rows, entity.find(this.#roomTick), this.#row);
  }
}
