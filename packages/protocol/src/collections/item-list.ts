import type { ByteReader } from "../bytes/byte-reader.js";
import { ConfigError } from "../errors/errors.js";
import {
  Collection,
  type CollectionHost,
  type ItemChange,
  type PutOperation,
  type ReadChanges,
} from "./collection.js";
import { isSameItem } from "./item-codec.js";

/** A list of an entity as those see it who do not own it. */
export interface ReadonlyItemList<Value = unknown> extends Iterable<Value> {
  readonly length: number;
  /** Returns an item; a negative index counts from the end. Undefined beyond the ends. */
  at(index: number): Value | undefined;
  indexOf(value: Value): number;
}

const Operation = { whole: 0, set: 1, insert: 2, remove: 3, push: 4 } as const;
type Operation = (typeof Operation)[keyof typeof Operation];

interface Step {
  readonly operation: Operation;
  readonly index: number;
  value: unknown;
}

/** A list of an entity, of changing length: see `list`. Only the owner of the entity may write it. */
export class ItemList<Value = unknown> extends Collection implements ReadonlyItemList<Value> {
  #items: Value[] = [];
  #steps: Step[] = [];
  /** The step that wrote an index last, since the last step that moved items. */
  readonly #lastOf = new Map<number, Step>();
  #isWholeDue = false;

  get length(): number {
    return this.#items.length;
  }

  protected get count(): number {
    return this.#items.length;
  }

  get isDirty(): boolean {
    return this.#isWholeDue || this.#steps.length > 0;
  }

  at(index: number): Value | undefined {
    return this.#items.at(index);
  }

  indexOf(value: Value): number {
    return this.#items.findIndex((item) => isSameItem(item, value));
  }

  [Symbol.iterator](): ArrayIterator<Value> {
    return this.#items[Symbol.iterator]();
  }

  /**
   * Appends items. Returns the new length. Throws {@link ConfigError} for a value that the field cannot hold, for
   * more items than the limit, and if this side does not own the entity. Then nothing is appended.
   */
  push(...values: readonly Value[]): number {
    if (!this.admits(values)) return this.length;
    this.assertCount(this.length + values.length);
    const first = this.length;
    const checked = values.map((value, index) => this.#checked(first + index, value));
    const growth = checked.reduce((sum, value) => sum + this.#costOf(value), 0);
    this.assertGrowth(growth);
    const changes = checked.map((value, index): ItemChange => {
      this.#items.push(value);
      this.#note({ operation: Operation.push, index: first + index, value });
      return [first + index, value, undefined];
    });
    if (changes.length > 0) this.wrote(growth, changes);
    return this.length;
  }

  /** Replaces an item. Throws as {@link push} does, and for an index that the list does not have. */
  set(index: number, value: Value): this {
    if (!this.admits(value)) return this;
    this.#assertIndex(index, this.length - 1);
    const checked = this.#checked(index, value);
    const previous = this.#items[index]!;
    if (isSameItem(previous, checked)) return this;
    const growth = this.#costOf(checked) - this.#costOf(previous);
    this.assertGrowth(growth);
    this.#items[index] = checked;
    const last = this.#lastOf.get(index);
    // The last value of a tick wins.
    if (last) last.value = checked;
    else this.#note({ operation: Operation.set, index, value: checked });
    this.wrote(growth, [[index, checked, previous]]);
    return this;
  }

  /** Inserts an item before an index. Throws as {@link set} does. */
  insert(index: number, value: Value): this {
    if (!this.admits(value)) return this;
    this.#assertIndex(index, this.length);
    this.assertCount(this.length + 1);
    const checked = this.#checked(index, value);
    const growth = this.#costOf(checked);
    this.assertGrowth(growth);
    this.#items.splice(index, 0, checked);
    this.#lastOf.clear();
    this.#note({ operation: Operation.insert, index, value: checked });
    this.wrote(growth, [[index, checked, undefined]]);
    return this;
  }

  /** Removes the item at an index. Returns false if the list does not have it. */
  delete(index: number): boolean {
    const previous = this.#items[index];
    if (!this.admits(index) || previous === undefined) return false;
    this.#items.splice(index, 1);
    this.#lastOf.clear();
    this.#note({ operation: Operation.remove, index, value: undefined });
    this.wrote(-this.#costOf(previous), [[index, undefined, previous]]);
    return true;
  }

  /** Removes the last item, and returns it. */
  pop(): Value | undefined {
    const last = this.at(-1);
    return this.delete(this.length - 1) ? last : undefined;
  }

  /** Removes all items. */
  clear(): void {
    if (!this.admits(undefined) || this.length === 0) return;
    const changes: ItemChange[] = [];
    for (let index = this.length - 1; index >= 0; index--)
      changes.push([index, undefined, this.#items[index]]);
    this.#items = [];
    this.#becomeWhole();
    this.wrote(-this.bytes, changes);
  }

  contents(): Iterable<Value> {
    return this.#items;
  }

  fill(values: unknown): void {
    if (typeof values !== "object" || values === null || !(Symbol.iterator in values))
      throw new ConfigError(this.path, values, "a list");
    const items = [...(values as Iterable<Value>)];
    while (this.length > items.length) this.pop();
    for (let index = 0; index < this.length; index++) this.set(index, items[index]!);
    this.push(...items.slice(this.length));
  }

  copy(host: CollectionHost): ItemList<Value> {
    const copy = new ItemList<Value>(this.site, host);
    copy.#items = [...this.#items];
    copy.grew(this.bytes);
    return copy;
  }

  read(reader: ByteReader): ReadChanges | undefined {
    const steps: Step[] = [];
    let { length } = this;
    let isWhole = false;
    while (reader.ok && reader.remaining > 0) {
      const operation = reader.u8();
      if (operation === Operation.whole && steps.length === 0 && !isWhole) {
        [isWhole, length] = [true, 0];
        continue;
      }
      const step = this.#readStep(reader, operation, length);
      if (!step) return undefined;
      if (operation === Operation.remove) length -= 1;
      else if (operation !== Operation.set) length += 1;
      if (length > this.max) return undefined;
      steps.push(step);
    }
    if (!reader.ok || (steps.length === 0 && !isWhole)) return undefined;
    return this.#read(steps, isWhole);
  }

  #readStep(reader: ByteReader, operation: number, length: number): Step | undefined {
    if (operation === Operation.push) return { operation, index: length, value: this.codec.read(reader) };
    if (operation === Operation.whole || operation > Operation.push) return undefined;
    const index = reader.u16();
    if (index >= length + Number(operation === Operation.insert)) return undefined;
    const value = operation === Operation.remove ? undefined : this.codec.read(reader);
    return { operation: operation as Operation, index, value };
  }

  #read(steps: readonly Step[], isWhole: boolean): ReadChanges {
    const items = isWhole ? [] : [...this.#items];
    const changes: ItemChange[] = [];
    let growth = isWhole ? -this.bytes : 0;
    for (const { operation, index, value } of steps) {
      const previous = operation === Operation.insert ? undefined : items[index];
      if (operation === Operation.remove) items.splice(index, 1);
      else if (operation === Operation.insert) items.splice(index, 0, value as Value);
      else items[index] = value as Value;
      growth += this.#costOf(value) - this.#costOf(previous);
      changes.push([index, value, previous]);
    }
    const make = (): readonly ItemChange[] => {
      const before = this.#items;
      this.#items = items;
      this.grew(growth);
      return isWhole ? differences(before, items) : changes.filter(([, now, was]) => !isSameItem(now, was));
    };
    return { growth, count: steps.length + 1, make };
  }

  writeAll(put: PutOperation): void {
    put((writer) => writer.u8(Operation.whole));
    for (const value of this.#items) this.#write({ operation: Operation.push, index: 0, value }, put);
  }

  protected writeChanged(put: PutOperation): void {
    if (this.#isWholeDue) return this.writeAll(put);
    for (const step of this.#steps) this.#write(step, put);
  }

  #write({ operation, index, value }: Step, put: PutOperation): void {
    put((writer) => {
      writer.u8(operation);
      if (operation !== Operation.push) writer.u16(index);
      if (operation !== Operation.remove) this.codec.write(writer, value);
    });
  }

  protected forgetChanges(): void {
    this.#steps = [];
    this.#lastOf.clear();
    this.#isWholeDue = false;
  }

  #note(step: Step): void {
    if (this.#isWholeDue) return;
    this.#steps.push(step);
    if (step.operation !== Operation.remove) this.#lastOf.set(step.index, step);
    // The whole list is shorter.
    if (this.#steps.length > 2 * this.length + 1) this.#becomeWhole();
  }

  #becomeWhole(): void {
    this.forgetChanges();
    this.#isWholeDue = true;
  }

  #checked(index: number, value: unknown): Value {
    return this.codec.checked(`${this.path}.${index}`, value) as Value;
  }

  /** Returns the bytes of an item; 0 without a value. */
  #costOf(value: unknown): number {
    return value === undefined ? 0 : 1 + this.bytesOf(value);
  }

  #assertIndex(index: number, last: number): void {
    if (Number.isInteger(index) && index >= 0 && index <= last) return;
    throw new ConfigError(
      `${this.path} index`,
      index,
      last < 0 ? "nothing: the list is empty" : `0 to ${last}`,
    );
  }
}

/** Returns the changes by index from one list to another, removals last. */
function differences(before: readonly unknown[], now: readonly unknown[]): ItemChange[] {
  const changes: ItemChange[] = [];
  for (const [index, value] of now.entries())
    if (index >= before.length || !isSameItem(before[index], value))
      changes.push([index, value, before[index]]);
  for (let index = before.length - 1; index >= now.length; index--)
    changes.push([index, undefined, before[index]]);
  return changes;
}
