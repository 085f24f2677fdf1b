import type { Environment } from "@paceline/transport";

type Device = Environment["device"];

/** Battery Status API (Chromium). */
interface BatteryManager extends EventTarget {
  readonly charging: boolean;
  readonly level: number;
}

/** Network Information API (Chromium, Android). */
interface NetworkInformation extends EventTarget {
  readonly type?: string;
}

interface ProbedNavigator {
  readonly connection?: NetworkInformation;
  getBattery?(): Promise<BatteryManager>;
}

/** Without a charger, a battery at or below this level counts as low. */
const LOW_LEVEL = 0.2;
const kinds: Readonly<Record<string, Device["network"]>> = {
  cellular: "mobile",
  wifi: "fixed",
  ethernet: "fixed",
};

/** Battery and network of this device. What the environment does not report is unknown, never guessed. */
export class DeviceProbe {
  readonly #onChange: () => void;
  readonly #ending = new AbortController();
  readonly #connection: NetworkInformation | undefined;
  #battery: BatteryManager | undefined;

  /** @param onChange called when {@link device} has changed */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
    const navigator = (globalThis.navigator ?? {}) as ProbedNavigator;
    this.#connection = navigator.connection;
    this.#listen(this.#connection, "change");
    // A policy of the page may forbid access: the battery is then unknown.
    void navigator.getBattery?.().then(
      (battery) => this.#found(battery),
      () => undefined,
    );
  }

  get device(): Device {
    const battery = this.#battery;
    const isLow = battery !== undefined && !battery.charging && battery.level <= LOW_LEVEL;
    return {
      battery: battery === undefined ? "unknown" : isLow ? "low" : "ok",
      network: kinds[this.#connection?.type ?? ""] ?? "unknown",
    };
  }

  stop(): void {
    this.#ending.abort();
  }

  #found(battery: BatteryManager): void {
    if (this.#ending.signal.aborted) return;
    this.#battery = battery;
    for (const type of ["levelchange", "chargingchange"]) this.#listen(battery, type);
    this.#onChange();
  }

  #listen(target: EventTarget | undefined, type: string): void {
    target?.addEventListener?.(type, () => this.#onChange(), { signal: this.#ending.signal });
  }
}
