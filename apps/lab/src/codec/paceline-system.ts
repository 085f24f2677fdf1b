import {
  Receiver,
  ReceiverGroup,
  SnapshotReader,
  SnapshotWriter,
  StateHistory,
  planState,
  restore,
  type EntityDefinition,
  type EntityRows,
  type GroupStates,
  type SnapshotListener,
  type StatePlan,
} from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { putCar, takeCar } from "./car.js";
import { CLIENTS, blankCars, type CodecSystem, type Rotation, type SeenCar } from "./system.js";
import type { CarState } from "./trace.js";

interface PacelineOptions {
  readonly definition: EntityDefinition;
  readonly rotation: Rotation;
  readonly hz: number;
  readonly cars: number;
  /** Number of receivers, each with its own acknowledgements. Default: CLIENTS. */
  readonly clients?: number;
}

/** The part that all modes share: the game's side with its history, and client 0. */
abstract class PacelineSystem implements CodecSystem {
  readonly system = "paceline";
  abstract readonly mode: string;
  protected readonly plan: StatePlan;
  protected readonly history: StateHistory;
  protected readonly writer: SnapshotWriter;
  protected readonly entities: readonly EntityRows[];
  protected readonly reader: SnapshotReader;
  protected packets: Uint8Array[] = [];
  protected isCopying = true;
  protected readonly listener: SnapshotListener;
  readonly #rotation: Rotation;
  readonly #values: Float64Array;
  readonly #cars: SeenCar[];

  constructor({ definition, rotation, hz, cars }: PacelineOptions) {
    this.#cars = blankCars(cars);
    this.plan = planState(definition, { tickHz: hz });
    this.history = new StateHistory({ plans: [this.plan] });
    this.writer = new SnapshotWriter([this.plan]);
    this.entities = Array.from({ length: cars }, (_, id) => this.history.spawn(id, this.plan));
    this.reader = new SnapshotReader({
      plans: [this.plan],
      historyTicks: 64,
      maxEntities: cars,
    });
    this.#rotation = rotation;
    this.#values = new Float64Array(definition.components.length);
    const seen = new Float64Array(definition.components.length);
    this.listener = {
      onState: (entity, _tick, place) => {
        restore(this.plan, entity.rows, place, seen);
        takeCar(seen, rotation, this.#cars[entity.id]!);
      },
      onRemoved: () => undefined,
      onDesync: (id, tick) => {
        throw new Error(`car ${id} out of step at tick ${tick}`);
      },
    };
  }

  abstract join(frame: readonly CarState[]): number;
  abstract encode(frame: readonly CarState[], tick: number): number;

  stopCopying(): void {
    this.isCopying = false;
  }

  takePackets(): readonly Uint8Array[] {
    const taken = this.packets;
    this.packets = [];
    return taken;
  }

  decode(packets: readonly Uint8Array[], tick: number): readonly SeenCar[] {
    for (const packet of packets) {
      const reason = this.reader.read(packet, tick, this.listener);
      if (reason !== undefined) throw new Error(`tick ${tick}: ${reason}`);
    }
    return this.#cars;
  }

  protected put(frame: readonly CarState[], tick: number): void {
    for (let car = 0; car < frame.length; car++) {
      putCar(frame[car]!, this.#rotation, this.#values);
      this.history.write(this.entities[car]!, tick, this.#values);
    }
  }
}

interface AcknowledgedOptions extends PacelineOptions {
  readonly mode: string;
  /** Age at which a packet is acknowledged, ticks. */
  readonly ageTicks: number;
  /** Share of lost packets, drawn for each client. */
  readonly lossRatio: number;
}

const MAX_PACKETS = 16;

class Client extends Receiver {
  readonly index: number;

  constructor(index: number) {
    super();
    this.index = index;
  }
}

/** A group of clients, each with its own acknowledgements. */
export class AcknowledgedSystem extends PacelineSystem {
  readonly mode: string;
  readonly #options: AcknowledgedOptions;
  readonly #group: ReceiverGroup<Client>;
  readonly #members: readonly Client[];
  /** The lost packets, drawn in advance: drawing allocates objects, which would count against the codec. */
  readonly #lost: Uint8Array;
  /**
   * Number of packets that arrived, by client and tick of the last 64. All packets of a tick arrive, or none.
   */
  readonly #arrived: readonly Uint8Array[];
  readonly #clients: number;
  readonly #all = (): readonly EntityRows[] => this.entities;
  #bytes = 0;
  #tick = 0;
  #send(states: GroupStates<Client>): void {
    for (const client of states.receivers) {
      this.#bytes += states.body.length;
      const { index } = client;
      const hasArrived = this.#lost[(this.#tick * this.#clients + index) % this.#lost.length] === 0;
      this.#arrived[index]![this.#tick & 63] = hasArrived ? states.number : 0;
      if (this.isCopying && index === 0 && hasArrived) this.packets.push(states.body.slice());
      client.sent(states, (this.#tick * MAX_PACKETS + states.number - 1) & 0xffff, 0);
    }
  }

  constructor(options: AcknowledgedOptions) {
    super(options);
    this.mode = options.mode;
    this.#clients = options.clients ?? CLIENTS;
    this.#arrived = Array.from({ length: this.#clients }, () => new Uint8Array(64));
    this.#options = options;
    const random = seededRandom(5);
    this.#lost = Uint8Array.from({ length: 0x10000 }, () => (random.bool(options.lossRatio) ? 1 : 0));
    this.#group = new ReceiverGroup({ writer: this.writer });
    this.#members = Array.from({ length: this.#clients }, (_, index) => new Client(index));
    for (const client of this.#members) client.join(this.#group);
  }

  join(frame: readonly CarState[]): number {
    return this.encode(frame, 0);
  }

  encode(frame: readonly CarState[], tick: number): number {
    this.put(frame, tick);
    this.#tick = tick;
    this.#bytes = 0;
    const acknowledged = tick - this.#options.ageTicks;
    for (const client of this.#members) {
      const arrived = acknowledged < 0 ? 0 : this.#arrived[client.index]![acknowledged & 63]!;
      for (let packet = 0; packet < arrived; packet++)
        client.acknowledge((acknowledged * MAX_PACKETS + packet) & 0xffff);
      client.lose(Number.NEGATIVE_INFINITY, tick);
    }
    this.#group.start(tick, this.entities, this.#members, this.#all);
    for (let states = this.#group.next(); states; states = this.#group.next()) this.#send(states);
    return this.#bytes / this.#clients;
  }
}

/** One encoding for all clients, whatever they have got: whole states. */
export class WholeSystem extends PacelineSystem {
  readonly mode = "whole";
  readonly #group: ReceiverGroup;

  constructor(options: PacelineOptions) {
    super(options);
    this.#group = new ReceiverGroup({ writer: this.writer });
  }

  join(frame: readonly CarState[]): number {
    return this.encode(frame, 0);
  }

  encode(frame: readonly CarState[], tick: number): number {
    this.put(frame, tick);
    let bytes = 0;
    this.#group.startWhole(tick, this.entities);
    for (let states = this.#group.next(); states; states = this.#group.next()) {
      bytes += states.body.length;
      if (this.isCopying) this.packets.push(states.body.slice());
    }
    return bytes;
  }
}
