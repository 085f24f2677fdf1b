import type { EntityDefinition, PeerPayload, StatePlan } from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";
import type { LoadColumns } from "../room-mode.js";

type ColumnsCode = Awaited<ReturnType<LoadColumns>>;

export interface RoomColumnsOptions {
  readonly scheduler: Scheduler;
  /** Ticks per second of the authority. */
  readonly tickHz: number;
  /** Ticks per second of own states. */
  readonly ownTickHz: number;
  readonly load: LoadColumns;
  /** Sends the authority a message; false where there is no room for it. */
  send(payload: PeerPayload): boolean;
  /** {@link RoomColumns.isReadable} became true. */
  onReadable(definition: EntityDefinition): void;
  /** The authority's states of that kind are read by this plan. */
  onPlan(kind: number, plan: StatePlan): void;
  onMismatch(name: string, differences: readonly string[]): void;
}

/** One kind that the authority describes otherwise. */
interface Exchange {
  readonly definition: EntityDefinition;
  isSent: boolean;
  /** How whole states with all columns of the authority are read; undefined until it has described them. */
  corrections: StatePlan | undefined;
  isAnswered: boolean;
}

const RETRY_PERIOD_MS = 500;

/**
 * Exchanges the columns of kinds that the authority describes otherwise: this side describes its own, the authority answers
 * with those of the room, and each reads of the other's states what both know.
 */
export class RoomColumns {
  readonly #options: RoomColumnsOptions;
  /** By the number of the kind. */
  readonly #exchanges = new Map<number, Exchange>();
  #code: ColumnsCode | undefined;
  #isEnded = false;

  constructor(options: RoomColumnsOptions) {
    this.#options = options;
  }

  /** The game uses a kind that the authority describes otherwise. */
  begin(kind: number, definition: EntityDefinition): void {
    const exchange = { definition, isSent: false, corrections: undefined, isAnswered: false };
    this.#exchanges.set(kind, exchange);
    this.#options.load().then(
      (code) => {
        this.#code = code;
        this.#send(kind, exchange);
      },
      () => this.#options.onMismatch(definition.name, ["the code to read it did not come"]),
    );
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Whether the authority can read own states of that kind: both describe it alike, or this side has described it. */
  isReadable(definition: EntityDefinition): boolean {
    return this.#of(definition)?.isSent !== false;
  }

  /** The plan of the authority's corrections; undefined where it describes the kind as this side does, or not yet. */
  correctionsOf(definition: EntityDefinition): StatePlan | undefined {
    return this.#of(definition)?.corrections;
  }

  /** The authority describes a kind. False where that was not asked for, or where the bytes describe nothing. */
  receive(kind: number, columns: Uint8Array): boolean {
    const exchange = this.#exchanges.get(kind);
    if (!exchange?.isSent || exchange.isAnswered || !this.#code) return false;
    exchange.isAnswered = true;
    const { definition } = exchange;
    const options = this.#options;
    const { tickHz, ownTickHz } = options;
    const match = this.#code.matchColumns(definition, columns, { tickHz });
    options.onMismatch(definition.name, match?.differences ?? ["columns that cannot be"]);
    if (!match) return false;
    const whole = this.#code.matchColumns(definition, columns, { tickHz: ownTickHz, hasRates: true });
    exchange.corrections = whole?.plan;
    if (match.plan) options.onPlan(kind, match.plan);
    return true;
  }

  #send(kind: number, exchange: Exchange): void {
    const options = this.#options;
    if (this.#isEnded || !this.#code) return;
    const columns = this.#code.describeColumns(exchange.definition);
    if (!options.send({ kind: "columns", stream: kind, columns }))
      return void options.scheduler.after(RETRY_PERIOD_MS, () => this.#send(kind, exchange));
    exchange.isSent = true;
    options.onReadable(exchange.definition);
  }

  #of(definition: EntityDefinition): Exchange | undefined {
    for (const exchange of this.#exchanges.values()) if (exchange.definition === definition) return exchange;
    return undefined;
  }
}
