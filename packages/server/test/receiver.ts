import {
  SnapshotReader,
  StateChange,
  restore,
  type DespawnReason,
  type SnapshotListener,
  type ViewLimits,
} from "@paceline/protocol";
import type { Link, StateMoment } from "@paceline/transport";
import type { Random } from "@paceline/transport/simulated";
import { PlayerStates, type StatesConnection } from "../src/states/player-states.js";
import { Sight } from "../src/entities/sight.js";
import type { Owner, World } from "../src/entities/world.js";

export interface ReceiverNetwork {
  /** True if the link keeps the order of packets. */
  readonly isInOrder: boolean;
  readonly delayTicks?: number;
  /** Random further delay up to this, ticks: packets overtake each other. */
  readonly jitterTicks?: number;
  readonly lossRatio?: number;
}

interface Flying {
  readonly atTick: number;
  readonly tick: number;
  readonly sequence: number;
  readonly bodies: readonly Uint8Array[];
}

/** A state that was read. */
export interface ReadState {
  readonly id: number;
  /** Tick of the state. */
  readonly tick: number;
  readonly isNew: boolean;
}

let numbers = 0;

/** A player of a room, as a broadcast uses it. Its packets may come late, get lost or change order. */
export class Receiver implements StatesConnection {
  readonly states: PlayerStates;
  /** The newest values and their tick, by entity id. */
  readonly held = new Map<number, { readonly values: Float32Array; readonly tick: number }>();
  readonly drops: string[] = [];
  readonly jumps: number[] = [];
  /** Ids that left, with the reason. */
  readonly removals: { readonly id: number; readonly why: DespawnReason; readonly tick: number }[] = [];
  /** Called for each state that is read. */
  onState: ((state: ReadState) => void) | undefined;
  readonly player: { readonly owner: Owner; readonly sight: Sight };
  readonly limits: ViewLimits[] = [];
  desyncs = 0;
  bytes = 0;
  packets = 0;
  slow = false;
  /** True while its line takes no states. */
  blocked = false;
  offline = false;
  /** True while its acknowledgements are held back. */
  isMute = false;
  link: Link | undefined;
  readonly #world: World;
  readonly #network: ReceiverNetwork;
  readonly #random: Random;
  readonly #acks: { readonly atTick: number; readonly sequence: number }[] = [];
  #flying: Flying[] = [];
  #reader: SnapshotReader;
  #sequence = 0;
  #tick = 0;
  #lastArrival = 0;

  constructor(world: World, random: Random, network: ReceiverNetwork) {
    this.#world = world;
    this.#network = network;
    this.#random = random;
    this.link = network.isInOrder ? ({} as Link) : undefined;
    this.#reader = this.#newReader();
    this.player = { owner: { number: (numbers += 1) }, sight: new Sight() };
    this.states = new PlayerStates(world, this);
    this.states.setKinds(world.kinds);
  }

  /** Reloads the page: it forgets all entities, and sends its kinds. */
  restart(kinds = this.#world.kinds): void {
    this.#reader = this.#newReader();
    this.#flying = [];
    this.held.clear();
    this.states.setKinds(kinds);
  }

  inOrder(): Link | undefined {
    return this.link;
  }

  isSlow(): boolean {
    return this.slow;
  }

  takesStates(): boolean {
    return !this.blocked;
  }

  sendLimits(limits: ViewLimits): void {
    this.limits.push(limits);
  }

  lostAfterMs(): number {
    return 200;
  }

  next(): number | undefined {
    return this.offline ? undefined : (this.#sequence + 1) & 0xffff;
  }

  send(
    states: Uint8Array,
    _key: number,
    _moment: StateMoment,
    further: readonly Uint8Array[] = [],
  ): number | undefined {
    if (this.offline) return undefined;
    const { isInOrder, delayTicks = 1, jitterTicks = 0, lossRatio = 0 } = this.#network;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.bytes += further.reduce((sum, { length }) => sum + length, states.length);
    this.packets += 1;
    const late = Math.floor(this.#random.next() * (jitterTicks + 1));
    const atTick = Math.max(this.#tick + delayTicks + late, isInOrder ? this.#lastArrival : 0);
    this.#lastArrival = atTick;
    if (this.#random.next() < lossRatio) return this.#sequence;
    const { lastSentTick } = this;
    // Each further body has a head that says nothing of inputs.
    const bodies = [states.slice(), ...further.map((each) => each.slice(1))];
    this.#flying.push({ atTick, tick: lastSentTick, sequence: this.#sequence, bodies });
    return this.#sequence;
  }

  get lastSentTick(): number {
    return this.#tick;
  }

  /** Begins a tick: reads the packets that have arrived, and acknowledges them with the same delay. */
  begin(tick: number): void {
    this.#tick = tick;
    const { delayTicks = 1 } = this.#network;
    const here = this.#flying.filter(({ atTick }) => atTick <= tick);
    this.#flying = this.#flying.filter(({ atTick }) => atTick > tick);
    for (const { bodies, tick: of, sequence } of here.sort((a, b) => a.atTick - b.atTick)) {
      for (const body of bodies) {
        const reason = this.#reader.read(body, of, this.#listener);
        if (reason !== undefined) this.drops.push(reason);
      }
      this.#acks.push({ atTick: tick + delayTicks, sequence });
    }
    while (!this.isMute && this.#acks[0] && this.#acks[0].atTick <= tick)
      this.states.acknowledge(this.#acks.shift()!.sequence);
  }

  readonly #listener: SnapshotListener = {
    onState: ({ id, plan, rows }, tick, place, changes) => {
      const values = new Float32Array(plan.definition.components.length);
      restore(plan, rows, place, values);
      this.held.set(id, { values, tick });
      if (changes & StateChange.teleported) this.jumps.push(id);
      this.onState?.({ id, tick, isNew: (changes & StateChange.born) !== 0 });
    },
    onRemoved: (id, of, why) => {
      this.held.delete(id);
      this.removals.push({ id, why, tick: of });
    },
    onDesync: () => (this.desyncs += 1),
  };

  #newReader(): SnapshotReader {
    return new SnapshotReader({ plans: this.#world.plans, historyTicks: 64, maxEntities: 0x10000 });
  }
}
