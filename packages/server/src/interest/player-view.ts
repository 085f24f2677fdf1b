import {
  ReceiverGroup,
  limits,
  messageBytes,
  type EntityRows,
  type GroupStates,
  type Receiver,
} from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { PrivateList, Viewer } from "@paceline/netcode/interest";
import type { EntityRecord, World } from "../entities/world.js";
import { HEADS_BYTES, type PlayerStates } from "../states/player-states.js";
import type { Audience } from "./audience.js";
import type { CellReceiver } from "./cell-group.js";

/** Limit of packets whose acknowledgement may still arrive. */
const MAX_PACKETS = 256;
/** States that a player who has lost packets gets again in a tick, of those that it gets alone. */
const MAX_ALONE = 32;
/** Largest packet of a line that may lose packets, bytes, and of one that keeps order. */
const MAX_BYTES = limits.unreliablePacketBytes - HEADS_BYTES;
const MAX_BYTES_IN_ORDER = limits.reliablePacketBytes / 2 - HEADS_BYTES;
/** Bytes of a message besides its body. */
export const MESSAGE_BYTES = 4;
const NEVER = -1;
/** Each view writes the ids of its due entities here, and reads them at once. */
const dueIds = new Uint16Array(4096);

/** An entity that a player gets alone, and the tick of its last state. */
interface PrivateEntity {
  readonly record: EntityRecord;
  sentTick: number;
}

export interface PlayerViewParts {
  readonly states: PlayerStates;
  readonly viewer: Viewer;
  readonly audience: Audience;
  readonly world: World;
  /** Returns true if an entity is in the player's view. */
  readonly sees: (id: number) => boolean;
  readonly cellOf: (id: number) => number;
}

/** The view of one player: its cells, the entities that it gets alone, and the packet that is put together for it. */
export class PlayerView {
  readonly states: PlayerStates;
  readonly viewer: Viewer;
  audience: Audience;
  /** False while the player has no link. */
  isPresent = true;
  /** True if states would reach the player in the present tick. */
  takesStates = false;
  /** By cell. */
  readonly #receivers = new Map<number, CellReceiver>();
  /** The entities that the player gets alone, because it does not see them with a cell. By id. */
  readonly #private = new Map<number, PrivateEntity>();
  readonly #group: ReceiverGroup<PlayerStates>;
  readonly #world: World;
  readonly #cellOf: (id: number) => number;
  /** Entities that have left something that the player sees. */
  #left: EntityRecord[] = [];
  #restarts = -1;
  #list: PrivateList | undefined;
  #moment: ReplicationMoment = { tick: 0, nowMs: 0 };
  /** The messages of the packet, each with its head. */
  #messages: Uint8Array[] = [];
  #bytes = 0;
  #number: number | undefined;
  #packets = 0;
  #hasRemovals = false;
  #receiversOfPacket: Receiver[] = [];
  /** Receivers whose states the packets of these numbers carry, if packets may be lost. */
  readonly #unacknowledged = new Map<number, Receiver[]>();

  constructor({ states, viewer, audience, world, sees, cellOf }: PlayerViewParts) {
    this.states = states;
    this.viewer = viewer;
    this.audience = audience;
    this.#world = world;
    this.#cellOf = cellOf;
    const { writer } = world;
    this.#group = new ReceiverGroup({
      writer,
      maxBytes: MAX_BYTES - MESSAGE_BYTES,
      maxBytesInOrder: MAX_BYTES_IN_ORDER - MESSAGE_BYTES,
    });
    states.join(this.#group);
    states.onAcknowledged = (number) => this.#acknowledged(number);
    states.sees = sees;
    states.receiverOf = (record) => this.#receiverOf(record);
  }

  /** Begins to get the states of a cell at a level. */
  see(cell: number, level: number): void {
    const receiver = this.audience.see(this, cell, level);
    receiver.setInOrder(this.states.isInOrder);
    this.#receivers.set(cell, receiver);
  }

  unsee(cell: number): void {
    const receiver = this.#receivers.get(cell);
    if (!receiver) return;
    this.audience.unsee(receiver);
    this.#receivers.delete(cell);
  }

  /** Gets the same cells as a member of another audience: all of them again. */
  moveTo(audience: Audience): void {
    const cells = [...this.#receivers.values()].map(({ of: { cell, level } }) => ({ cell, level }));
    for (const { cell } of cells) this.unsee(cell);
    for (const { record } of this.#private.values()) {
      this.audience.countAlone(record, -1);
      audience.countAlone(record, 1);
    }
    this.audience = audience;
    for (const { cell, level } of cells) this.see(cell, level);
  }

  /** Notes that an entity has left something that the player sees. It may still see it otherwise. */
  maybeLeft(record: EntityRecord): void {
    this.#left.push(record);
  }

  /** Takes what the last update of interest has changed. */
  update(tick: number): void {
    this.#updatePrivate(tick);
    if (this.#left.length === 0) return;
    for (const record of this.#left)
      if (!record.despawned && !this.states.sees!(record.id)) this.states.leftView(record);
    this.#left = [];
  }

  /** The player has left, or another record stands for it. */
  end(): void {
    for (const { record } of this.#private.values()) this.audience.countAlone(record, -1);
  }

  /** Forgets an entity that left the world. */
  removed(record: EntityRecord): void {
    if (this.#private.get(record.id)?.record === record) this.#private.delete(record.id);
    this.#group.leave(record.rows);
  }

  /** Begins a tick: looks at the player's link. */
  prepare(moment: ReplicationMoment): void {
    const { states } = this;
    this.#moment = moment;
    this.takesStates = this.isPresent;
    if (!this.isPresent) return this.#fallOut();
    const wasInOrder = states.isInOrder;
    states.review(moment);
    states.isSkipping = false;
    this.takesStates = !states.isBlocked;
    const { isInOrder } = states;
    if (isInOrder !== wasInOrder)
      for (const receiver of this.#receivers.values()) receiver.setInOrder(isInOrder);
    if (states.restarts !== this.#restarts) this.#restart(moment.tick);
    else if (!isInOrder) {
      const lostBeforeMs = moment.nowMs - states.connection.lostAfterMs();
      for (const receiver of this.#receivers.values()) {
        receiver.lose(lostBeforeMs, moment.tick);
        if (receiver.isExceptional) receiver.of.isUnsettled = true;
      }
    }
    if (!this.takesStates) this.#fallOut();
  }

  /** The player does not get what others get. */
  #fallOut(): void {
    for (const receiver of this.#receivers.values()) receiver.fallOut();
  }

  /** The player holds nothing. It gets the cells whole, and what it gets alone from this tick on. */
  #restart(tick: number): void {
    this.#restarts = this.states.restarts;
    this.#unacknowledged.clear();
    for (const receiver of this.#receivers.values()) {
      receiver.restart();
      receiver.of.isUnsettled = true;
    }
    for (const entity of this.#private.values()) entity.sentTick = NEVER;
    this.states.attend(tick);
  }

  /** Adds a message with states of a receiver to the packet. Sends the packet first if it is full. */
  add(message: Uint8Array, states: GroupStates, receiver: Receiver): void {
    const bytes = messageBytes(message.length);
    const most = receiver.isInOrder ? MAX_BYTES_IN_ORDER : MAX_BYTES;
    if (this.#messages.length > 0 && this.#bytes + bytes > most) this.flush();
    if (this.#messages.length === 0) this.#number = this.states.connection.next();
    this.#messages.push(message);
    this.#bytes += bytes;
    const number = this.#number;
    if (receiver === this.states) this.states.noteSent(states, number, this.#moment.nowMs);
    else {
      receiver.sent(states, number, this.#moment.nowMs);
      if (!receiver.isInOrder) this.#receiversOfPacket.push(receiver);
    }
    if (states.removed.length > 0) this.#hasRemovals = true;
  }

  /** Sends the packet. */
  flush(): void {
    const [first, ...further] = this.#messages;
    if (!first) return;
    const body = first.subarray(1);
    const number = this.states.sendBodies(
      body,
      (this.#packets += 1),
      this.#moment,
      this.#hasRemovals,
      further,
    );
    this.viewer.spent(this.#bytes + HEADS_BYTES);
    if (number !== undefined && this.#receiversOfPacket.length > 0) {
      this.#unacknowledged.set(number, this.#receiversOfPacket);
      this.#receiversOfPacket = [];
      for (const oldest of this.#unacknowledged.keys()) {
        if (this.#unacknowledged.size <= MAX_PACKETS) break;
        this.#unacknowledged.delete(oldest);
      }
    }
    this.#messages = [];
    this.#bytes = 0;
    this.#hasRemovals = false;
  }

  /** Adds what the player gets alone: removals, and entities that it does not see with a cell. */
  writePrivate(tick: number): void {
    const { states } = this;
    const due = this.#duePrivate(tick);
    if (due.length > 0 || states.hasRemovals) {
      this.#group.start(tick, due, [states], () => due);
      this.#addAll();
    }
    if (!states.isExceptional) return;
    const rows: EntityRows[] = [];
    for (const wanted of states.wanted(MAX_ALONE)) {
      const record = this.#private.get(wanted.id)?.record;
      if (record?.rows === wanted) rows.push(this.#world.rowsAt(record, tick));
      else states.forget(wanted);
    }
    if (rows.length === 0) return;
    this.#group.startAlone(tick, states, rows);
    this.#addAll();
  }

  #addAll(): void {
    for (let states = this.#group.next(); states; states = this.#group.next())
      this.add(messageOf(states.body), states, this.states);
  }

  /** Returns the states of entities that the player gets alone and that were due since their last one. */
  #duePrivate(tick: number): EntityRows[] {
    const { list } = this.viewer;
    const due: EntityRows[] = [];
    if (this.#private.size === 0) return due;
    if (list) {
      const count = list.tick === tick ? list.due(tick, dueIds) : 0;
      for (let each = 0; each < count; each++) this.#addIfDue(dueIds[each]!, tick, due);
    } else if (tick % this.states.terms.everyTicks === 0)
      for (const id of this.#private.keys()) this.#addIfDue(id, tick, due);
    return due;
  }

  #addIfDue(id: number, tick: number, due: EntityRows[]): void {
    const entity = this.#private.get(id);
    if (!entity || !this.states.kinds.has(entity.record.kind)) return;
    const { record, sentTick } = entity;
    const dueTick = this.audience.dueTick(record);
    if (sentTick !== NEVER && (dueTick === undefined || ((dueTick - sentTick) | 0) <= 0)) return;
    entity.sentTick = tick;
    due.push(this.#world.rowsAt(record, tick));
  }

  #updatePrivate(tick: number): void {
    const { list, bound } = this.viewer;
    if (list !== this.#list) {
      for (const id of this.#private.keys()) this.#drop(id);
      this.#list = list;
    }
    if (list) {
      if (list.tick !== tick) return;
      for (let each = 0; each < list.left.count; each++) this.#drop(list.left.values[each]!);
      for (let each = 0; each < list.entered.count; each++) this.#take(list.entered.values[each]!, tick);
      return;
    }
    for (const id of this.#private.keys()) if (!bound.has(id)) this.#drop(id);
    for (let each = 0; each < bound.count; each++) {
      const id = bound.ids[each]!;
      // An entity that the player sees at the full rate anyway needs no second state.
      if (this.#receivers.get(this.#cellOf(id))?.of.level === 0) this.#drop(id);
      else this.#take(id, tick);
    }
  }

  #take(id: number, tick: number): void {
    const record = this.#world.records.get(id);
    if (!record || this.#private.get(id)?.record === record) return;
    this.#private.set(id, { record, sentTick: NEVER });
    this.audience.countAlone(record, 1);
    this.#group.enter(record.rows, tick);
  }

  #drop(id: number): void {
    const entity = this.#private.get(id);
    if (!entity) return;
    this.#private.delete(id);
    this.audience.countAlone(entity.record, -1);
    this.#group.leave(entity.record.rows);
    this.states.forget(entity.record.rows);
    this.maybeLeft(entity.record);
  }

  #receiverOf(record: EntityRecord): Receiver | undefined {
    if (this.#private.has(record.id)) return this.states;
    const receiver = this.#receivers.get(this.#cellOf(record.id));
    if (receiver) receiver.of.isUnsettled = true;
    return receiver;
  }

  #acknowledged(number: number): void {
    const receivers = this.#unacknowledged.get(number);
    if (!receivers) return;
    this.#unacknowledged.delete(number);
    for (const receiver of receivers) receiver.acknowledge(number);
  }
}

/** Returns a body as a message: the byte before it says nothing of inputs. The body is a view until the next one. */
export function messageOf(body: Uint8Array): Uint8Array {
  const message = new Uint8Array(body.length + 1);
  message.set(body, 1);
  return message;
}
