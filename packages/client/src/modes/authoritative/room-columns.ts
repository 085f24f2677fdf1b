import type { EntityDefinition, PeerPayload, StatePlan } from "@paceline/protocol";
import type { LoadColumns, RoomParts } from "../room-mode.js";

type ColumnsCode = Awaited<ReturnType<LoadColumns>>;

export interface RoomColumnsOptions {
  readonly parts: RoomParts;
  /** Ticks per second of the authority. */
  readonly tickHz: number;
  /** Sends a message to the authority. Returns false if the queue is full. */
  send(payload: PeerPayload): boolean;
  /** Called when {@link RoomColumns.isReadable} becomes true. */
  onReadable(definition: EntityDefinition): void;
  /** Called with the plan by which the authority's states of a kind are read. */
  readonly onPlan: (kind: number, plan: StatePlan) => void;
}

/** A kind that the authority describes differently. */
interface Exchange {
  readonly definition: EntityDefinition;
  isSent: boolean;
  /** Plan for whole states with all columns of the authority; undefined until it has described them. */
  corrections: StatePlan | undefined;
  isAnswered: boolean;
}

const RETRY_PERIOD_MS = 500;

/**
 * Exchanges the columns of kinds that the authority describes differently. This side describes its own
 * columns, and the authority answers with those of the room. Each side then reads the columns that both know.
 */
export class RoomColumns {
  readonly #options: RoomColumnsOptions;
  readonly #exchanges = new Map<number, Exchange>();
  #code: ColumnsCode | undefined;
  #isEnded = false;

  constructor(options: RoomColumnsOptions) {
    this.#options = options;
  }

  /** Starts the exchange for a kind that the authority describes differently. */
  begin(kind: number, definition: EntityDefinition): void {
    const exchange = { definition, isSent: false, corrections: undefined, isAnswered: false };
    this.#exchanges.set(kind, exchange);
    void this.#options.parts.loadColumns().then((code) => {
      this.#code = code;
      this.#send(kind, exchange);
    });
  }

  end(): void {
    this.#isEnded = true;
  }

  /**
   * Returns true if the authority can read own states of a kind: both describe it alike, or this side has
   * described it.
   */
  isReadable(definition: EntityDefinition): boolean {
    return this.#of(definition)?.isSent !== false;
  }

  /**
   * Returns the plan of the authority's corrections. Undefined if both sides describe the kind alike, or
   * before the authority has described it.
   */
  correctionsOf(definition: EntityDefinition): StatePlan | undefined {
    return this.#of(definition)?.corrections;
  }

  /** Reads the authority's description of a kind. Returns false if it was not requested, or is malformed. */
  receive(kind: number, columns: Uint8Array): boolean {
    const exchange = this.#exchanges.get(kind);
    if (!exchange?.isSent || exchange.isAnswered || !this.#code) return false;
    exchange.isAnswered = true;
    const { definition } = exchange;
    const { tickHz, parts, onPlan } = this.#options;
    const ownTickHz = parts.time.tickHz;
    const match = this.#code.matchColumns(definition, columns, { tickHz });
    this.#differs(definition, match?.differences ?? ["columns that cannot be"]);
    if (!match) return false;
    const whole = this.#code.matchColumns(definition, columns, { tickHz: ownTickHz, hasRates: true });
    exchange.corrections = whole?.plan;
    if (match.plan) onPlan(kind, match.plan);
    return true;
  }

  #send(kind: number, exchange: Exchange): void {
    const options = this.#options;
    if (this.#isEnded || !this.#code) return;
    const columns = this.#code.describeColumns(exchange.definition);
    if (!options.send({ kind: "columns", stream: kind, columns }))
      return void options.parts.scheduler.after(RETRY_PERIOD_MS, () => this.#send(kind, exchange));
    exchange.isSent = true;
    options.onReadable(exchange.definition);
  }

  #differs({ name }: EntityDefinition, differences: readonly string[]): void {
    this.#options.parts.listeners.differs(name, "the room", differences);
  }

  #of(definition: EntityDefinition): Exchange | undefined {
    for (const exchange of this.#exchanges.values()) if (exchange.definition === definition) return exchange;
    return undefined;
  }
}
