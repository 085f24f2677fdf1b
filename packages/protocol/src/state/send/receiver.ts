import { NO_TICK } from "../codec/packet-entries.js";
import type { EntityRows } from "../columns/entity-rows.js";
import type { GroupStates, TickContent } from "./cohort.js";
import type { ReceiverGroup } from "./receiver-group.js";
import { ARRIVAL_TICKS, TickWindow, WINDOW_TICKS } from "./tick-window.js";

const NO_IDS: readonly number[] = [];
const NO_ROWS: readonly EntityRows[] = [];

/** The state that a receiver holds of an entity whose newest one from the group it lacks. */
interface Exception {
  /** Tick of the newest state that it holds; NO_TICK if none. */
  held: number;
  /** Tick at which the exception arose. A later state from the group ends it. */
  sinceTick: number;
  /** True if the receiver does not trust any state before that tick. */
  isDistrusted: boolean;
  /** True until a state for this receiver alone is sent. */
  isWanted: boolean;
}

/** The packets of one tick. They count together, because each has another part of the entities. */
interface SentTick {
  readonly tick: number;
  content: TickContent;
  isEnded: boolean;
  /** Packets without an answer. */
  open: number;
  isBroken: boolean;
  /** All its entities, and those of the packets that are lost. */
  rows: readonly EntityRows[];
  readonly lost: EntityRows[];
}

interface SentPacket {
  readonly sequence: number;
  readonly sentAtMs: number;
  readonly rows: readonly EntityRows[];
  readonly of: SentTick;
}

/**
 * One receiver of a {@link ReceiverGroup}: what it holds, in one record. It holds a state of the group if the
 * tick of the state has arrived. Its base stands for the states before: at that tick it got all entities.
 */
export class Receiver {
  /**
   * True if all that is sent arrives, in order. It then counts as arrived at once.
   */
  isInOrder = false;
  /** True if the receiver does not get the due states of this tick. They become {@link wanted}. */
  isSkipping = false;
  /** True until the receiver was sent all entities. */
  isNew = true;
  /** Ticks whose due states have arrived. */
  readonly arrived = new TickWindow(ARRIVAL_TICKS);
  /** Tick at which the receiver got all entities; NO_TICK if that has not arrived. */
  base = NO_TICK;
  /** True if the receiver held nothing at its base. */
  isBaseEmpty = false;
  readonly exceptions = new Map<EntityRows, Exception>();
  /** Turn of the group in which the receiver took part last. */
  turn = 0;
  #group: ReceiverGroup | undefined;
  #packets: SentPacket[] = [];
  #sent: SentTick | undefined;
  #tick = 0;

  /** Joins a group. What the receiver holds of another group of the same history is the baseline of all that follows. */
  join(group: ReceiverGroup): void {
    if (group === this.#group) return;
    this.#leave();
    this.arrived.clear();
    this.base = NO_TICK;
    this.turn = group.turn;
    this.#group = group;
  }

  /**
   * @internal Lets the receiver get all entities, as differences from what it holds: it has missed a turn. After
   * the length of a window, nobody knows what it holds.
   */
  catchUp(tick: number): void {
    if (((tick - this.#tick) | 0) >= WINDOW_TICKS) this.restart();
    else this.#leave();
  }

  #leave(): void {
    const group = this.#group;
    if (!group) return;
    if (!this.isNew) for (const entity of group.entities()) this.#except(group, entity);
    this.isNew = true;
    // Their entities count as exceptions now.
    for (const { of } of this.#packets) of.content = "wanted";
  }

  /** Sends every entity whole, because the receiver holds nothing. */
  restart(): void {
    this.isNew = true;
    this.arrived.clear();
    this.base = NO_TICK;
    this.exceptions.clear();
    this.#packets = [];
  }

  /** Makes a receiver that holds nothing get what is due from this tick on, and not all entities first. */
  attend(tick: number): void {
    this.isNew = false;
    this.base = (tick - 1) >>> 0;
    this.isBaseEmpty = true;
  }

  /**
   * Sends the entity's next state whole, because the receiver does not trust its states. Unless not `isWanted`, it is
   * due to the receiver alone.
   */
  resync(entity: EntityRows, isWanted = true): void {
    this.exceptions.delete(entity);
    const sinceTick = (this.#tick + 1) >>> 0;
    this.exceptions.set(entity, { held: NO_TICK, sinceTick, isDistrusted: true, isWanted });
  }

  /** Forgets an entity that has ended. */
  forget(entity: EntityRows): void {
    this.exceptions.delete(entity);
  }

  /** Returns the ids of removed entities that the receiver may still hold. The next packet announces them. */
  removals(): readonly number[] {
    return NO_IDS;
  }

  /** Returns the ticks that count as arrived, as words of {@link arrived}. */
  counted(): Int32Array {
    return this.arrived.words;
  }

  /** Number of entities of which the receiver waits for a state of its own. */
  get waiting(): number {
    let waiting = 0;
    for (const { isWanted } of this.exceptions.values()) if (isWanted) waiting += 1;
    return waiting;
  }

  /** Returns the entities of which the receiver waits for a state of its own, the longest waiting first. */
  wanted(limit: number): EntityRows[] {
    const wanted: EntityRows[] = [];
    for (const [entity, { isWanted }] of this.exceptions) {
      if (wanted.length >= limit) break;
      if (isWanted) wanted.push(entity);
    }
    return wanted;
  }

  /** @internal Notes states that the receiver does not get although they are due. */
  skip(tick: number, entities: readonly EntityRows[]): void {
    if (this.isNew) return;
    this.#tick = tick;
    for (const entity of entities) this.#want(entity);
  }

  /** @internal Begins the packets of a tick. */
  begin(tick: number, content: TickContent): void {
    this.#tick = tick;
    if (content === "all") this.isNew = false;
    this.#sent = { tick, content, isEnded: false, open: 0, isBroken: false, rows: NO_ROWS, lost: [] };
  }

  /** Notes the packet that carries the states: its sequence, or undefined if they could not be sent. */
  sent({ rows }: GroupStates, sequence: number | undefined, nowMs: number): void {
    const of = this.#sent!;
    of.rows = of.rows.length === 0 ? rows : [...of.rows, ...rows];
    if (this.exceptions.size > 0) for (const entity of rows) this.#send(entity);
    if (sequence === undefined) {
      of.isBroken = true;
      of.lost.push(...rows);
    } else if (!this.isInOrder) {
      of.open += 1;
      this.#packets.push({ sequence, sentAtMs: nowMs, rows, of });
    }
  }

  /** @internal Ends the packets of a tick. */
  end(): void {
    const sent = this.#sent!;
    sent.isEnded = true;
    this.#settle(sent);
  }

  /** Records that the receiver has the packet of that sequence. Unknown sequences are ignored. */
  acknowledge(sequence: number): void {
    const index = this.#packets.findIndex((packet) => packet.sequence === sequence);
    if (index < 0) return;
    const [{ of }] = this.#packets.splice(index, 1) as [SentPacket];
    of.open -= 1;
    this.#settle(of);
  }

  /** Gives up packets that were sent before `sentBeforeMs`, or are too old to count. */
  lose(sentBeforeMs: number, tick: number): void {
    const isLost = ({ sentAtMs, of }: SentPacket): boolean =>
      sentAtMs < sentBeforeMs || ((tick - of.tick) | 0) >= WINDOW_TICKS - 1;
    if (!this.#packets[0] || !isLost(this.#packets[0])) return;
    const lost = this.#packets.filter(isLost);
    this.#packets = this.#packets.filter((packet) => !isLost(packet));
    for (const { rows, of } of lost) {
      of.open -= 1;
      of.isBroken = true;
      of.lost.push(...rows);
      this.#settle(of);
    }
  }

  /** Tick of the oldest due states that have no answer yet; undefined if all have one. */
  get missingTick(): number | undefined {
    return this.#packets.find(({ of }) => of.content === "due")?.of.tick;
  }

  #settle(sent: SentTick): void {
    if (!sent.isEnded || sent.open > 0) return;
    const { tick, content, isBroken } = sent;
    if (content === "due" && !isBroken) this.arrived.add(tick);
    if (content === "all") this.#rebase(sent);
    if (this.exceptions.size > 0 || isBroken) for (const entity of sent.rows) this.#answer(entity, sent);
  }

  /** Makes the tick with all entities the base. What the receiver lacked before is no exception any more. */
  #rebase({ tick, lost }: SentTick): void {
    this.base = tick;
    this.isBaseEmpty = false;
    this.arrived.forgetBefore(tick);
    for (const [entity, { sinceTick }] of this.exceptions)
      if (((sinceTick - tick) | 0) <= 0) this.exceptions.delete(entity);
    for (const entity of lost) if (!entity.isRemoved) this.resync(entity);
  }

  /** Notes that a state of the tick has arrived, or is lost. */
  #answer(entity: EntityRows, { tick, content, isBroken }: SentTick): void {
    const exception = this.exceptions.get(entity);
    const isNews = exception !== undefined && isNewer(tick, exception.held);
    if (isBroken) {
      if (content === "wanted" ? isNews : content === "due" && this.#group?.newest(entity) === tick)
        this.#want(entity);
    } else if (!exception) return;
    else if (content !== "wanted") this.#trust(entity, tick, exception);
    else if (isNews) exception.held = tick;
  }

  /** Ends an exception. A distrusted entity stays one until the states before have left the group's window. */
  #trust(entity: EntityRows, tick: number, { isDistrusted, sinceTick }: Exception): void {
    if (((tick - sinceTick) | 0) >= (isDistrusted ? WINDOW_TICKS : 0)) this.exceptions.delete(entity);
  }

  #want(entity: EntityRows): void {
    if (entity.isRemoved) return;
    const group = this.#group!;
    const exception = this.#except(group, entity);
    if (exception.isWanted) return;
    exception.isWanted = true;
    // The longest waiting come first.
    this.exceptions.delete(entity);
    this.exceptions.set(entity, exception);
  }

  #send(entity: EntityRows): void {
    const exception = this.exceptions.get(entity);
    if (exception) exception.isWanted = false;
  }

  #except(group: ReceiverGroup, entity: EntityRows): Exception {
    const known = this.exceptions.get(entity);
    if (known) {
      if (!known.isDistrusted) known.sinceTick = this.#tick;
      return known;
    }
    const held = group.newestHeld(this, entity);
    const exception = { held, sinceTick: this.#tick, isDistrusted: false, isWanted: false };
    this.exceptions.set(entity, exception);
    return exception;
  }
}

function isNewer(tick: number, than: number): boolean {
  return than === NO_TICK || ((tick - than) | 0) > 0;
}
