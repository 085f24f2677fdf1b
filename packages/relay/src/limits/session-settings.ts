import type { Scheduler } from "@paceline/transport";
import type { Faults } from "../ops/faults.js";
import type { RelayCounters } from "../ops/relay-counters.js";
import type { ForwardRates } from "./forward-rates.js";
import type { RelayLimits } from "./relay-limits.js";

/** The relay's options after the checks, as far as rooms and sessions use them. */
export interface SessionSettings {
  readonly limits: RelayLimits;
  readonly forwards: ForwardRates;
  readonly counters: RelayCounters;
  readonly faults: Faults;
  readonly scheduler: Scheduler;
}
