import type { Link, Scheduler } from "@paceline/transport";
import type { describeNetwork, NetworkSettings, SimulatedLine } from "@paceline/transport/simulated";
import { Listeners, guarded, type Unsubscribe } from "../events/listeners.js";

interface SimulationCode {
  readonly describeNetwork: typeof describeNetwork;
  readonly SimulatedLine: typeof SimulatedLine;
}

export interface SimulationOptions {
  readonly scheduler: Scheduler;
  /** Fetches the code of a worse network. */
  loadSimulation(): Promise<SimulationCode>;
}

/** A simulated network, the same in each direction. An omitted value is that of a perfect path. */
export type SimulatedNetwork = Partial<NetworkSettings>;

/** The room's links, and the worse line on which they can be made to hang. Its code is fetched when first wanted. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #links = new Set<Link>();
  readonly #onLink = new Listeners<[Link]>();
  #line: SimulatedLine | undefined;
  #settings: SimulatedNetwork | undefined;
  #calls = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
  }

  /** Undefined: the links are as they are. */
  get settings(): SimulatedNetwork | undefined {
    return this.#settings;
  }

  /** The room has a new link. */
  add(link: Link): void {
    for (const known of this.#links) if (known.state === "closed") this.#links.delete(known);
    this.#links.add(link);
    if (this.#settings) this.#line?.take(link);
    this.#onLink.tell(link);
  }

  onLink(listener: (link: Link) => void): Unsubscribe {
    const stop = this.#onLink.add(listener);
    for (const link of this.#links) if (link.state !== "closed") guarded(() => listener(link));
    return stop;
  }

  /**
   * Of several calls the last one counts, whatever is fetched first. Resolves to the network in words; to undefined where
   * a later call was quicker.
   */
  async set(settings: SimulatedNetwork | undefined): Promise<string | undefined> {
    this.#calls += 1;
    const call = this.#calls;
    let words = "none";
    if (settings) {
      const { SimulatedLine, describeNetwork } = await this.#options.loadSimulation();
      this.#line ??= new SimulatedLine({ scheduler: this.#options.scheduler });
      words = describeNetwork(settings);
    }
    if (call !== this.#calls) return undefined;
    if (settings) this.#line?.change(settings);
    else this.#line?.release();
    this.#settings = settings && { ...settings };
    if (settings) for (const link of this.#links) if (link.state !== "closed") this.#line?.take(link);
    return words;
  }
}
