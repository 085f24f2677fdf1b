import type { Link, Scheduler } from "@paceline/transport";
import type { describeNetwork, NetworkSettings, SimulatedLine } from "@paceline/transport/simulated";
import { Listeners, guarded, type Unsubscribe } from "../listeners.js";

interface SimulationCode {
  readonly describeNetwork: typeof describeNetwork;
  readonly SimulatedLine: typeof SimulatedLine;
}

export interface SimulationOptions {
  readonly scheduler: Scheduler;
  loadSimulation(): Promise<SimulationCode>;
}

/** A simulated network, equal in both directions. Omitted values are those of a perfect path. */
export type SimulatedNetwork = Partial<NetworkSettings>;

/** Connects the room's links to a simulated network on request. The first use fetches the code. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #links = new Set<Link>();
  readonly #onLink = new Listeners<[Link]>();
  #line: SimulatedLine | undefined;
  /** Undefined if nothing is simulated. */
  settings: SimulatedNetwork | undefined;
  #calls = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
  }

  /** Takes a new link of the page, and returns it. */
  interpose(link: Link): Link {
    for (const known of this.#links) if (known.state === "closed") this.#links.delete(known);
    this.#links.add(link);
    if (this.settings) this.#line?.take(link);
    this.#onLink.emit(link);
    return link;
  }

  onLink(listener: (link: Link) => void): Unsubscribe {
    const stop = this.#onLink.add(listener);
    for (const link of this.#links) if (link.state !== "closed") guarded(() => listener(link));
    return stop;
  }

  /**
   * Applies the settings of the latest call, whichever code arrives first. Resolves to a description of the
   * network, or to undefined if a later call was made meanwhile.
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
    this.settings = settings && { ...settings };
    if (settings) for (const link of this.#links) if (link.state !== "closed") this.#line?.take(link);
    return words;
  }
}
