import {
  ConfigError,
  GROUND_CELLS,
  restore,
  writeView,
  type EntityDefinition,
  type EntityRows,
} from "@paceline/protocol";
import {
  NOWHERE,
  SquareGrid,
  ViewWindow,
  interestPlan,
  placeColumnsOf,
  windowGeometry,
  type GroundAxes,
  type PlaceColumns,
} from "@paceline/netcode/interest";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { ServerConnection } from "../../connection/server-connection.js";
import type { ShownParts, Source } from "../../entities/shown-entities.js";
import type { OwnedEntities, OwnedRecord } from "../../entities/owned-entities.js";
import type { RoomTransport } from "../../room-transport/room-transport.js";
import type { ClientInterest } from "../../policy/client-interest.js";
import type { StreamOwner } from "../mesh/remote-streams.js";
import { SeenEntities } from "./seen-entities.js";

/** A place from which a player looks: a point, or what has a position, such as an entity. */
type Viewpoint = Point | { readonly position: Point };
interface Point {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

/** The cell of an own entity, and the one before it. */
interface OwnCell {
  cell: number;
  left: number | undefined;
  /** So many more packets name the cell that was left, since one of them may be lost or replaced. */
  repeats: number;
}

/** Time between two views that are sent, ms: half as many as a server takes. */
const VIEW_PERIOD_MS = 100;
/** The ground of a plan whose ground is replaced. */
const ANYWHERE = { minX: 0, minY: 0, maxX: 1, maxY: 1 };
const REVIEW_PERIOD_MS = 250;
/** Heartbeats for which an entity may be silent, and time for its path, ms. */
const SILENT_HEARTBEATS = 2;
const PATH_MS = 1000;
const LEFT_REPEATS = 3;
const ASSUMED_RTT_MS = 200;
/** Time that the server and the turns of this page take, ms. */
const ANSWER_MS = 20;
/**
 * The longest time between two states of an entity that may share packets with others, ms. The server keeps such a packet
 * for 3 s, and somebody who comes to see the cell after that would wait for the next one.
 */
const SHARED_HEARTBEAT_MS = 2500;
/** A received position is rounded: it counts up to a hundredth of a cell beyond the border. */
const ROUNDING = 1.1;

export interface RoomCellsParts {
  readonly scheduler: Scheduler;
  readonly connection: ServerConnection;
  readonly owned: OwnedEntities;
  readonly transport: RoomTransport;
}

/**
 * The cells of a room without an authority: which of them this player sees, and in which its own entities are. It tells
 * the server the first, so that the server forwards only states in these, and names the second with its states.
 */
export class RoomCells {
  readonly radiusM: number;
  readonly #parts: RoomCellsParts;
  readonly #axes: GroundAxes | undefined;
  readonly #grid: SquareGrid;
  readonly #window: ViewWindow;
  readonly #columns = new Map<EntityDefinition, PlaceColumns | undefined>();
  readonly #scratch = new Map<EntityDefinition, Float32Array>();
  readonly #own = new Map<number, OwnCell>();
  readonly #stores = new Set<SeenEntities>();
  readonly #at = new Float64Array(2);
  readonly #measured = new Float64Array(2).fill(NaN);
  readonly #place = { x: 0, y: 0 };
  #cell = NOWHERE;
  #viewpoint: Viewpoint | undefined;
  #cells: readonly number[] = [];
  #seen: ReadonlySet<number> = new Set();
  #sentAtMs = -Infinity;
  #isSent = false;
  #isAgain = false;
  #linkedAtMs = -Infinity;
  #timers: Cancel[] = [];

  /** @param interest options that the client has checked */
  constructor(interest: ClientInterest, parts: RoomCellsParts) {
    const { radiusM, cellM, ground } = interest;
    const plan = interestPlan(cellM === undefined ? { radiusM } : { radiusM, cellM }, ANYWHERE);
    const halfM = (GROUND_CELLS / 2) * plan.cellM;
    // A ground that all members share without a word: they agree on it by `cellM` alone.
    const world = { minX: -halfM, minY: -halfM, maxX: halfM, maxY: halfM };
    this.#grid = new SquareGrid({ ...plan, world, cols: GROUND_CELLS, rows: GROUND_CELLS });
    this.#window = new ViewWindow(windowGeometry(plan, this.#grid, undefined));
    this.#axes = ground;
    this.#parts = parts;
    this.radiusM = radiusM;
  }

  get viewpoint(): object | undefined {
    return this.#viewpoint;
  }

  /** Looks from an entity or a place; undefined: from the first own entity that has a position. */
  set viewpoint(from: object | undefined) {
    if (from !== undefined && !this.#pointOf(from as Viewpoint))
      throw new ConfigError("viewpoint", from, "a place { x, y }, or an entity with a position");
    this.#viewpoint = from as Viewpoint | undefined;
    this.update();
  }

  /** True if the states of a kind go by cell: it has a position, and the plan does not want all of them to arrive. */
  has(definition: EntityDefinition): boolean {
    const isReliable = this.#parts.transport.plan.channels.state.delivery === "ordered-reliable";
    return !isReliable && this.#columnsOf(definition) !== undefined;
  }

  /** Returns the entities of a peer, as this player sees them. */
  newStore(parts: ShownParts, source: Source, owner: StreamOwner): SeenEntities {
    const store = new SeenEntities(parts, source, owner, this);
    this.#stores.add(store);
    return store;
  }

  forget(store: SeenEntities): void {
    this.#stores.delete(store);
  }

  /** Returns the entities of a peer that this player knows. */
  storeOf(owner: StreamOwner): SeenEntities | undefined {
    for (const store of this.#stores) if (store.owner === owner) return store;
    return undefined;
  }

  /** Returns the place of a received state, until the next call; undefined if its kind has none. */
  placeOf({ plan, rows }: EntityRows, at: number): Point | undefined {
    const { definition } = plan;
    const columns = this.#columnsOf(definition);
    if (!columns) return undefined;
    let values = this.#scratch.get(definition);
    if (!values) this.#scratch.set(definition, (values = new Float32Array(definition.components.length)));
    restore(plan, rows, at, values);
    return this.#placeIn(values, columns);
  }

  /** Returns true if a place is in a cell that this player sees, or in its border. */
  sees(x: number, y: number): boolean {
    const borderM = this.#grid.borderM * ROUNDING;
    for (const toX of [-borderM, borderM])
      for (const toY of [-borderM, borderM]) if (this.#seen.has(this.#cellAt(x + toX, y + toY))) return true;
    return false;
  }

  /** Returns the time after which a silent entity is out of view, ms. */
  staleMsOf(definition: EntityDefinition): number {
    // While there is no link nothing comes, and that says nothing of an entity.
    if (this.#linkedAtMs === Infinity) return Infinity;
    const staleMs = SILENT_HEARTBEATS * this.#heartbeatMsOf(definition) + PATH_MS;
    return this.#parts.scheduler.nowMs() - this.#linkedAtMs < staleMs ? Infinity : staleMs;
  }

  /** True if each entity of a kind gets packets of its own, which the server keeps until they are replaced. */
  goesAlone(definition: EntityDefinition): boolean {
    return this.#heartbeatMsOf(definition) > SHARED_HEARTBEAT_MS;
  }

  #heartbeatMsOf({ heartbeatMs }: EntityDefinition): number {
    return heartbeatMs ?? this.#parts.transport.plan.numbers.heartbeatMs;
  }

  /** Time within which the server's answer to a new view is here, ms. */
  get answerMs(): number {
    return (this.#parts.connection.session.rttMs ?? ASSUMED_RTT_MS) + ANSWER_MS;
  }

  /** Begins to name this player's view, from nothing: the server knows none. */
  start(): void {
    const { scheduler } = this.#parts;
    this.stop();
    this.#linkedAtMs = scheduler.nowMs();
    this.#timers = [
      scheduler.every(VIEW_PERIOD_MS, () => this.update()),
      scheduler.every(REVIEW_PERIOD_MS, () => this.#review()),
    ];
    this.#isSent = false;
    this.update();
    this.#send();
  }

  stop(): void {
    for (const cancel of this.#timers.splice(0)) cancel();
  }

  /** Names the view again over another link to the server: what came meanwhile is lost. */
  moved(): void {
    this.#linkedAtMs = this.#parts.scheduler.nowMs();
    this.#isSent = false;
    this.#isAgain = true;
    this.#sentAtMs = -Infinity;
    this.#send();
  }

  lost(): void {
    this.#linkedAtMs = Infinity;
  }

  /** Looks where the viewpoint is now. */
  update(): void {
    const from = this.#viewpoint ?? this.#firstOwn();
    const point = from && this.#pointOf(from);
    if (point) {
      this.#at[0] = this.#grid.clampX(point.x);
      this.#at[1] = this.#grid.clampY(this.#heightIsZ(point) ? point.z! : point.y);
      this.#cell = this.#grid.cellAt(this.#at[0], this.#at[1], this.#cell);
    }
    if (this.#cell !== NOWHERE && this.#takeMove()) this.#measure();
    if (!this.#isSent) this.#send();
  }

  /** Notes where an own entity is. Returns true if it is in another cell than before. */
  track({ id, definition, state }: OwnedRecord): boolean {
    const { x, y } = this.#placeIn(state, this.#columnsOf(definition)!);
    const known = this.#own.get(id);
    const cell = this.#cellAt(x, y, known?.cell);
    if (known?.cell === cell) return false;
    this.#own.set(id, { cell, left: known?.cell, repeats: known ? LEFT_REPEATS : 0 });
    return known !== undefined;
  }

  untrack(id: number): void {
    this.#own.delete(id);
  }

  /** Returns the cell of an own entity that is being sent, and the cell that it has left, which the next packets name. */
  takeCell(id: number): { readonly cell: number; readonly left: number | undefined } | undefined {
    const own = this.#own.get(id);
    if (!own) return undefined;
    const left = own.repeats > 0 ? own.left : undefined;
    own.repeats -= own.repeats > 0 ? 1 : 0;
    return { cell: own.cell, left };
  }

  /** Returns the place of an own entity, until the next call. */
  placeOfOwn({ definition, state }: OwnedRecord): Point {
    return this.#placeIn(state, this.#columnsOf(definition)!);
  }

  #columnsOf(definition: EntityDefinition): PlaceColumns | undefined {
    if (!this.#columns.has(definition)) this.#columns.set(definition, placeColumnsOf(definition, this.#axes));
    return this.#columns.get(definition);
  }

  #placeIn(values: Float32Array, { at, step }: PlaceColumns): { x: number; y: number } {
    const place = this.#place;
    place.x = values[at]!;
    place.y = values[at + step]!;
    return place;
  }

  #cellAt(x: number, y: number, present?: number): number {
    return this.#grid.cellAt(this.#grid.clampX(x), this.#grid.clampY(y), present);
  }

  #firstOwn(): Viewpoint | undefined {
    for (const { definition, entity } of this.#parts.owned.records)
      if (this.#columnsOf(definition)) return entity as unknown as Viewpoint;
    return undefined;
  }

  /** Returns the place of a viewpoint; undefined if it has none. */
  #pointOf(from: Viewpoint): Point | undefined {
    const point = placeIn(from);
    if (!point) return undefined;
    const second = this.#heightIsZ(point) ? point.z : point.y;
    return Number.isFinite(point.x) && Number.isFinite(second) ? point : undefined;
  }

  #heightIsZ({ z }: Point): boolean {
    return z !== undefined && this.#axes !== "xy";
  }

  /** Returns true if the view has to be measured from where the viewpoint is now. */
  #takeMove(): boolean {
    const [x, y] = [this.#at[0]!, this.#at[1]!];
    // Not a number before the first time.
    if (Math.hypot(x - this.#measured[0]!, y - this.#measured[1]!) <= this.#grid.borderM) return false;
    this.#measured[0] = x;
    this.#measured[1] = y;
    return true;
  }

  #measure(): void {
    const window = this.#window;
    if (!window.look(this.#cell, this.#at, () => undefined)) return;
    const cells = [...window.seenCells.subarray(0, window.seenCount)];
    const before = this.#cells;
    if (cells.length === before.length && cells.every((cell, index) => cell === before[index])) return;
    this.#cells = cells;
    this.#seen = new Set(cells);
    this.#isSent = false;
    this.#review();
    this.#parts.scheduler.after(this.answerMs, () => this.#review());
  }

  #send(): void {
    const { scheduler, connection } = this.#parts;
    const nowMs = scheduler.nowMs();
    if (this.#isSent || nowMs - this.#sentAtMs < VIEW_PERIOD_MS || connection.state !== "joined") return;
    const again = this.#isAgain && { again: true as const };
    this.#isSent = connection.send({ type: "view", cells: writeView(this.#cells), ...again });
    if (!this.#isSent) return;
    this.#isAgain = false;
    this.#sentAtMs = nowMs;
  }

  #review(): void {
    const nowMs = this.#parts.scheduler.nowMs();
    for (const store of this.#stores) {
      store.review(nowMs);
      store.keepTime(nowMs);
    }
  }
}

/** Returns what has the coordinates; undefined if that is no object. Games without types pass anything. */
function placeIn(from: unknown): Point | undefined {
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
  const place = isObject(from) && "position" in from ? from.position : from;
  return isObject(place) ? (place as Point) : undefined;
}
