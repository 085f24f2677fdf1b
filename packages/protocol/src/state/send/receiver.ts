import { NO_TICK } from "../codec/packet-entries.js";
import type { EntityRows } from "../columns/entity-rows.js";
import type { GroupStates, TickContent } from "./cohort.js";
import type { ReceiverGroup } from "./receiver-group.js";
import { SentTick, type SentPacket, type SentRows } from "./sent-tick.js";
import { ARRIVAL_TICKS, TickWindow, WINDOW_TICKS } from "./tick-window.js";

const NO_IDS: readonly number[] = [];
/** The exceptions of all receivers that never had one. */
const NO_EXCEPTIONS: Map<EntityRows, Exception> = new Map();
/** Time for which what was sent and what has arrived tells the states that a receiver lacks, ticks. */
const TOLD_TICKS = WINDOW_TICKS / 2;

/** The state that a receiver holds of an entity whose newest one from the group it lacks. */
export interface Exception {
  readonly entity: EntityRows;
  /** Tick of the newest state that it holds; NO_TICK if none. */
  held: number;
  /** Tick at which the exception arose. */
  readonly firstTick: number;
  /** Tick at which it arose last. A later state from the group ends it. */
  sinceTick: number;
  /** True if the receiver does not trust any state before that tick. */
  readonly isDistrusted: boolean;
  /** True if the receiver holds another state than the ticks of the group tell. */
  isOwn: boolean;
  /** True until a state for this receiver alone is sent. */
  isWanted: boolean;
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
  /**
   * True if the receiver does not get the due states of this tick. Those that it does not get at the next one either
   * become {@link wanted}.
   */
  isSkipping = false;
  /** True until the receiver was sent all entities. */
  isNew = true;
  /** @internal True while the group keeps what the receiver holds: see {@link ReceiverGroup.takeInStep}. */
  isInStep = false;
  /** Tick at which the receiver got all entities; NO_TICK if that has not arrived. */
  base = NO_TICK;
  /** True if the receiver held nothing at its base. */
  isBaseEmpty = false;
  exceptions: ReadonlyMap<EntityRows, Exception> = NO_EXCEPTIONS;
  /** Turn of the group in which the receiver took part last. */
  turn = 0;
  #group: ReceiverGroup | undefined;
  #arrived: TickWindow | undefined;
  /** The packets without an answer, in the order in which they were sent. */
  #firstPacket: SentPacket | undefined;
  #lastPacket: SentPacket | undefined;
  #sent: SentTick | undefined;
  /** Records that wait for reuse. */
  #sparePacket: SentPacket | undefined;
  #spareTick: SentTick | undefined;
  #tick = 0;
  /** Ticks whose due states the receiver did not get, since it was served last. */
  readonly #skipped: number[] = [];

  /** Ticks whose due states have arrived. Of no meaning while the receiver is in step. */
  get arrived(): TickWindow {
    return (this.#arrived ??= new TickWindow(ARRIVAL_TICKS));
  }

  /** Joins a group. What the receiver holds of another group of the same history is the baseline of all that follows. */
  join(group: ReceiverGroup): void {
    if (group === this.#group) return;
    this.#leave();
    this.#arrived?.clear();
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
    this.fallOut();
    if (!this.isNew) for (const entity of group.entities()) this.#except(group, entity).isOwn = true;
    this.isNew = true;
    this.#skipped.length = 0;
    // Their entities count as exceptions now.
    for (let packet = this.#firstPacket; packet; packet = packet.next) packet.of.content = "wanted";
  }

  /** Sends every entity whole, because the receiver holds nothing. */
  restart(): void {
    this.fallOut();
    this.isNew = true;
    this.#arrived?.clear();
    this.base = NO_TICK;
    this.exceptions = NO_EXCEPTIONS;
    this.#skipped.length = 0;
    this.#firstPacket = this.#lastPacket = undefined;
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
    this.fallOut();
    this.#delete(entity);
    const sinceTick = (this.#tick + 1) >>> 0;
    this.#note({ entity, held: NO_TICK, sinceTick, isDistrusted: true, isOwn: true, isWanted });
  }

  /** Forgets an entity that has ended. */
  forget(entity: EntityRows): void {
    this.#delete(entity);
  }

  #delete(entity: EntityRows): void {
    if (this.exceptions.size > 0) (this.exceptions as Map<EntityRows, Exception>).delete(entity);
  }

  #set(exception: Exception): void {
    if (this.exceptions === NO_EXCEPTIONS) this.exceptions = new Map();
    (this.exceptions as Map<EntityRows, Exception>).set(exception.entity, exception);
  }

  /** @internal True if the group may keep what the receiver holds. */
  get isSteady(): boolean {
    return (
      this.isInOrder &&
      !this.isNew &&
      !this.isSkipping &&
      !this.isExceptional &&
      !this.hasOpenPackets &&
      !this.isBaseEmpty &&
      this.base !== NO_TICK &&
      this.turn === this.#group?.turn &&
      this.#group.hasSentAfter(this.base, this.#arrived)
    );
  }

  /** @internal The group keeps what the receiver holds from now on. */
  stepIn(): void {
    this.isInStep = true;
    this.#arrived = undefined;
  }

  /**
   * Lets the receiver keep what it holds itself, if it was in step: it will not get what the others get, or may lose it.
   */
  fallOut(): void {
    if (this.isInStep) this.#group!.fallOut(this);
  }

  /** @internal Keeps what it holds itself from now on. `arrived`: the ticks with states of the group. */
  stepOut(arrived: TickWindow, turn: number): void {
    this.isInStep = false;
    this.arrived.copyAfter(this.base, arrived);
    const { newest } = this.arrived;
    this.#tick = newest === NO_TICK ? this.base : newest;
    this.turn = turn;
    this.fellOut();
  }

  /** Called when the receiver is not in step any more, and has to be given to `start` again. */
  protected fellOut(): void {}

  /** Returns the ids of removed entities that the receiver may still hold. The next packet announces them. */
  removals(): readonly number[] {
    return NO_IDS;
  }

  /** Returns the ticks that count as arrived, as words of {@link arrived}. */
  counted(): Int32Array {
    return this.arrived.words;
  }

  /** True if the receiver may lack states that were sent to its group, or hold states of its own. */
  get isExceptional(): boolean {
    return this.exceptions.size > 0 || this.#skipped.length > 0;
  }

  /** Number of entities of which the receiver waits for a state of its own. */
  get waiting(): number {
    this.#collect(this.#tick);
    let waiting = 0;
    for (const { isWanted } of this.exceptions.values()) if (isWanted) waiting += 1;
    return waiting;
  }

  /** Returns the entities of which the receiver waits for a state of its own, the longest waiting first. */
  wanted(limit: number): EntityRows[] {
    this.#collect(this.#tick);
    const wanted: EntityRows[] = [];
    for (const [entity, { isWanted }] of this.exceptions) {
      if (wanted.length >= limit) break;
      if (isWanted) wanted.push(entity);
    }
    return wanted;
  }

  /**
   * @internal Returns the exception of an entity. Returns undefined if what was sent and what has arrived tells the
   * same: that is so for a state that was skipped or lost, until it may leave the group's window.
   */
  exceptionOf(entity: EntityRows, tick: number): Exception | undefined {
    const exception = this.exceptions.get(entity);
    if (!exception) return undefined;
    return exception.isOwn || ((tick - exception.firstTick) | 0) >= TOLD_TICKS ? exception : undefined;
  }

  /** @internal Notes that the receiver does not get the due states of a tick. */
  skip(tick: number): void {
    if (this.isNew) return;
    this.#tick = tick;
    this.#collect((tick - TOLD_TICKS) >>> 0);
    this.#skipped.push(tick);
  }

  /** Makes the receiver wait for the states up to a tick that it skipped, and of whose entities no later one was due. */
  #collect(until: number): void {
    if (this.#skipped.length === 0) return;
    let count = 0;
    for (const tick of this.#skipped) {
      if (((tick - until) | 0) > 0) break;
      // It may have left the group meanwhile.
      for (const entity of this.#group!.lateOf(tick))
        if (this.#group!.newest(entity) === tick) this.#want(entity);
      count += 1;
    }
    this.#skipped.splice(0, count);
  }

  /** @internal Begins the packets of a tick. */
  begin(tick: number, content: TickContent): void {
    this.#tick = tick;
    if (content === "all") this.isNew = false;
    const sent = this.#spareTick ?? new SentTick();
    this.#spareTick = sent.spare;
    sent.begin(tick, content);
    this.#sent = sent;
  }

  /** Notes the packet that carries the states: its sequence, or undefined if they could not be sent. */
  sent(states: GroupStates, sequence: number | undefined, nowMs: number): void {
    if (this.isInStep) {
      if (sequence === undefined) this.#group!.miss(this);
      return;
    }
    // Not in the parameters: games would see it in their declarations.
    const { sentRows } = states;
    const of = this.#sent!;
    of.add(sentRows);
    if (this.exceptions.size > 0) for (const entity of sentRows.rows) this.#send(entity);
    if (sequence === undefined) of.lose(sentRows);
    else if (!this.isInOrder) {
      of.open += 1;
      this.#append(sequence, nowMs, sentRows, of);
    }
  }

  #append(sequence: number, sentAtMs: number, body: SentRows, of: SentTick): void {
    let packet = this.#sparePacket;
    if (packet) {
      this.#sparePacket = packet.next;
      packet.sequence = sequence;
      packet.sentAtMs = sentAtMs;
      packet.body = body;
      packet.of = of;
      packet.next = undefined;
    } else packet = { sequence, sentAtMs, body, of, next: undefined };
    if (this.#lastPacket) this.#lastPacket.next = packet;
    else this.#firstPacket = packet;
    this.#lastPacket = packet;
  }

  /** @internal Ends the packets of a tick. */
  end(): void {
    const sent = this.#sent!;
    sent.isEnded = true;
    this.#collect(this.#tick);
    this.#settle(sent);
  }

  /** Records that the receiver has the packet of that sequence. Unknown sequences are ignored. */
  acknowledge(sequence: number): void {
    let before: SentPacket | undefined;
    for (let packet = this.#firstPacket; packet; before = packet, packet = packet.next) {
      if (packet.sequence !== sequence) continue;
      const { of } = this.#take(packet, before);
      of.open -= 1;
      this.#settle(of);
      return;
    }
  }

  /** True if packets have no answer yet. */
  get hasOpenPackets(): boolean {
    return this.#firstPacket !== undefined;
  }

  /** Gives up packets that were sent before `sentBeforeMs`, or are too old to count. */
  lose(sentBeforeMs: number, tick: number): void {
    if (!this.#firstPacket || !isLost(this.#firstPacket, sentBeforeMs, tick)) return;
    let before: SentPacket | undefined;
    for (let packet: SentPacket | undefined = this.#firstPacket; packet;) {
      const { body, of }: SentPacket = packet;
      const next: SentPacket | undefined = packet.next;
      if (isLost(packet, sentBeforeMs, tick)) {
        this.#take(packet, before);
        of.open -= 1;
        of.lose(body);
        this.#settle(of);
      } else before = packet;
      packet = next;
    }
  }

  /** Takes a packet out of the list. Its record may be reused from then on. */
  #take(packet: SentPacket, before: SentPacket | undefined): SentPacket {
    if (before) before.next = packet.next;
    else this.#firstPacket = packet.next;
    if (this.#lastPacket === packet) this.#lastPacket = before;
    packet.next = this.#sparePacket;
    this.#sparePacket = packet;
    return packet;
  }

  /** Tick of the oldest due states that have no answer yet; undefined if all have one. */
  get missingTick(): number | undefined {
    for (let packet = this.#firstPacket; packet; packet = packet.next)
      if (packet.of.content === "due") return packet.of.tick;
    return undefined;
  }

  #settle(sent: SentTick): void {
    if (!sent.isEnded || sent.open > 0) return;
    const { tick, content, isBroken } = sent;
    if (content === "due" && !isBroken) this.arrived.add(tick);
    if (content === "all") this.#rebase(sent);
    if (this.exceptions.size > 0 || isBroken) {
      for (let index = 0; index < sent.bodyCount; index++)
        for (const entity of sent.bodies[index]!.rows) this.#answer(entity, sent);
    }
    sent.release();
    sent.spare = this.#spareTick;
    this.#spareTick = sent;
  }

  /** Makes the tick with all entities the base. What the receiver lacked before is no exception any more. */
  #rebase({ tick, lost, lostCount }: SentTick): void {
    this.base = tick;
    this.isBaseEmpty = false;
    this.#arrived?.forgetBefore(tick);
    for (const [entity, { sinceTick }] of this.exceptions)
      if (((sinceTick - tick) | 0) <= 0) this.#delete(entity);
    for (let index = 0; index < lostCount; index++)
      for (const entity of lost[index]!.rows) if (!entity.isRemoved) this.resync(entity);
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
    else if (isNews) {
      exception.held = tick;
      exception.isOwn = true;
    }
  }

  /** Ends an exception. A distrusted entity stays one until the states before have left the group's window. */
  #trust(entity: EntityRows, tick: number, { isDistrusted, sinceTick }: Exception): void {
    if (((tick - sinceTick) | 0) >= (isDistrusted ? WINDOW_TICKS : 0)) this.#delete(entity);
  }

  #want(entity: EntityRows): void {
    if (entity.isRemoved) return;
    const group = this.#group!;
    const exception = this.#except(group, entity);
    if (exception.isWanted) return;
    exception.isWanted = true;
    // The longest waiting come first.
    this.#delete(entity);
    this.#set(exception);
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
    const sinceTick = this.#tick;
    return this.#note({ entity, held, sinceTick, isDistrusted: false, isOwn: false, isWanted: false });
  }

  #note(noted: Omit<Exception, "firstTick">): Exception {
    const exception = { ...noted, firstTick: noted.sinceTick };
    this.#set(exception);
    return exception;
  }
}

function isNewer(tick: number, than: number): boolean {
  return than === NO_TICK || ((tick - than) | 0) > 0;
}

function isLost({ sentAtMs, of }: SentPacket, sentBeforeMs: number, tick: number): boolean {
  return sentAtMs < sentBeforeMs || ((tick - of.tick) | 0) >= WINDOW_TICKS - 1;
}
