import { linePresets, type NetworkSettings } from "@paceline/transport/simulated";
import type { Room } from "../api/room.js";
import { make, makeButton, setText } from "./dom.js";
import { fieldsOf, settingsOf, type SimulatorFields } from "./simulator-settings.js";

interface FieldWords {
  readonly label: string;
  readonly unit: string;
  readonly max: number;
  readonly least: number;
  readonly step: number;
}

const FIELDS: Readonly<Record<keyof SimulatorFields, FieldWords>> = {
  delayMs: { label: "Delay", unit: "ms", max: 2000, least: 0, step: 10 },
  jitterMs: { label: "Jitter", unit: "ms", max: 500, least: 0, step: 5 },
  lossPercent: { label: "Loss", unit: "%", max: 100, least: 0, step: 0.5 },
  burst: { label: "In bursts of", unit: "packets", max: 100, least: 1, step: 1 },
  reorderPercent: { label: "Out of order", unit: "%", max: 100, least: 0, step: 0.5 },
  duplicatePercent: { label: "Twice", unit: "%", max: 100, least: 0, step: 0.5 },
  rateKbps: { label: "Rate, 0: no limit", unit: "kbit/s", max: 1_000_000, least: 0, step: 16 },
};
const NAMES = Object.keys(FIELDS) as (keyof SimulatorFields)[];
const OFF: SimulatorFields = {
  delayMs: 0,
  jitterMs: 0,
  lossPercent: 0,
  burst: 1,
  reorderPercent: 0,
  duplicatePercent: 0,
  rateKbps: 0,
};

const AS_IT_IS = "Network: as it is";
const OWN = "Network: own settings";

/** Simulates a worse network for this page, by a preset or field by field. */
export class SimulatorForm {
  /** The presets, and a button that ends the simulation. */
  readonly levers: HTMLElement;
  readonly fields: HTMLElement;
  readonly #room: Room;
  readonly #inputs: Readonly<Record<keyof SimulatorFields, HTMLInputElement>>;
  readonly #presets = make("select", { attributes: { "aria-label": "Network to pretend" } });
  readonly #problem = make("p", { class: "problem", attributes: { role: "alert" } });

  constructor(room: Room) {
    this.#room = room;
    this.#inputs = Object.fromEntries(NAMES.map((name) => [name, this.#input(name)])) as Record<
      keyof SimulatorFields,
      HTMLInputElement
    >;
    const names = [AS_IT_IS, ...linePresets.map(({ name }) => name), OWN];
    this.#presets.append(...names.map((name) => make("option", { text: name, attributes: { value: name } })));
    this.#presets.addEventListener("change", () => this.#choose(this.#presets.value));
    this.levers = make("div", { class: "row" }, [
      this.#presets,
      makeButton("Off", () => this.#choose(AS_IT_IS), { title: "The network as it is" }),
    ]);
    this.fields = make("div", { class: "simulator" }, [
      make(
        "div",
        { class: "fields" },
        NAMES.map((name) =>
          make("label", {}, [
            make("span", { text: FIELDS[name].label }),
            make("span", { class: "number" }, [
              this.#inputs[name],
              make("small", { text: FIELDS[name].unit }),
            ]),
          ]),
        ),
      ),
      this.#problem,
      make("p", {
        class: "note",
        text:
          "Acts on all links of this page, each way: 100 ms of delay are 200 ms of round trip. What must arrive is " +
          "never lost, only late.",
      }),
    ]);
    this.#show(OFF);
  }

  #input(name: keyof SimulatorFields): HTMLInputElement {
    const { max, least, step } = FIELDS[name];
    const attributes = { type: "number", min: `${least}`, max: `${max}`, step: `${step}`, name };
    const node = make("input", { attributes });
    node.addEventListener("change", () => this.#changed());
    return node;
  }

  #choose(name: string): void {
    const preset = linePresets.find((candidate) => candidate.name === name);
    if (preset) {
      this.#show(fieldsOf(preset.settings));
      this.#apply(preset.settings);
    } else if (name === AS_IT_IS) {
      this.#show(OFF);
      this.#apply(undefined);
    }
    this.#presets.value = name;
  }

  #changed(): void {
    const fields = Object.fromEntries(NAMES.map((name) => [name, this.#value(name)])) as Record<
      keyof SimulatorFields,
      number
    >;
    this.#show(fields);
    const isOff = NAMES.every((name) => fields[name] === OFF[name]);
    this.#presets.value = isOff ? AS_IT_IS : OWN;
    this.#apply(isOff ? undefined : settingsOf(fields));
  }

  /** Returns the number in a field, limited to the field's range. */
  #value(name: keyof SimulatorFields): number {
    const { valueAsNumber } = this.#inputs[name];
    const { max, least } = FIELDS[name];
    return Number.isFinite(valueAsNumber) ? Math.min(max, Math.max(least, valueAsNumber)) : OFF[name];
  }

  #show(fields: SimulatorFields): void {
    for (const name of NAMES) this.#inputs[name].value = String(fields[name]);
  }

  #apply(settings: Partial<NetworkSettings> | undefined): void {
    this.#room.transport.simulate(settings).then(
      () => setText(this.#problem, ""),
      (error: unknown) => setText(this.#problem, error instanceof Error ? error.message : String(error)),
    );
  }
}
