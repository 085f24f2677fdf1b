import { ReceiverGroup, type EntityRows, type SnapshotWriter } from "@paceline/protocol";
import type { EntityRecord } from "../entities/world.js";
import { AlignedReceiver } from "../states/aligned-receiver.js";
import type { PlayerView } from "./player-view.js";

/** A player as the receiver of one cell at one level of detail. */
export class CellReceiver extends AlignedReceiver {
  readonly view: PlayerView;
  readonly of: CellGroup;
  /** Index among the receivers of the group. */
  at = 0;

  constructor(view: PlayerView, of: CellGroup) {
    super();
    this.view = view;
    this.of = of;
  }

  protected override fellOut(): void {
    this.of.addOther(this);
  }
}

/** The players that see one cell at one level of detail. What is sent of the cell is encoded once for them. */
export class CellGroup {
  readonly cell: number;
  readonly level: number;
  readonly group: ReceiverGroup<CellReceiver>;
  readonly receivers: CellReceiver[] = [];
  /** The receivers that are not in step with the group: see {@link ReceiverGroup.takeInStep}. */
  readonly #others: CellReceiver[] = [];
  /** Entities that have come into the cell since the last states, and are due whatever their error is. */
  readonly entered: EntityRecord[] = [];
  /** The due states of the present tick. */
  readonly due: EntityRows[] = [];
  /** True if a receiver may wait for states that are not due: it is new, was away, or has lost some. */
  isUnsettled = true;

  constructor(
    cell: number,
    level: number,
    options: { readonly writer: SnapshotWriter; readonly maxBytes: number; readonly maxBytesInOrder: number },
  ) {
    this.cell = cell;
    this.level = level;
    this.group = new ReceiverGroup(options);
  }

  add(view: PlayerView): CellReceiver {
    const receiver = new CellReceiver(view, this);
    receiver.at = this.receivers.push(receiver) - 1;
    receiver.join(this.group);
    this.addOther(receiver);
    return receiver;
  }

  /** The receivers that are not in step with the group. */
  get others(): readonly CellReceiver[] {
    return this.#others;
  }

  addOther(receiver: CellReceiver): void {
    this.#others.push(receiver);
    this.isUnsettled = true;
  }

  /** Lets those be in step that have got all that the group has sent. */
  settle(): void {
    const others = this.#others;
    let left = 0;
    for (const other of others) if (!this.group.takeInStep(other)) others[left++] = other;
    others.length = left;
  }

  remove(receiver: CellReceiver): void {
    receiver.fallOut();
    this.#others.splice(this.#others.indexOf(receiver), 1);
    const { at } = receiver;
    const last = this.receivers.pop()!;
    if (at === this.receivers.length) return;
    this.receivers[at] = last;
    last.at = at;
  }

  enter(record: EntityRecord, tick: number): void {
    this.group.enter(record.rows, tick);
    this.entered.push(record);
  }

  leave({ rows }: EntityRecord): void {
    this.group.leave(rows);
    const at = this.entered.findIndex((each) => each.rows === rows);
    if (at >= 0) this.entered.splice(at, 1);
    for (const receiver of this.#others) receiver.forget(rows);
  }
}
