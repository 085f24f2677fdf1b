import { linePresets, type NetworkSettings } from "@paceline/transport/simulated";
import type { Room } from "@paceline/client";
import { make, makeButton, setText } from "./dom.js";
import { FIELDS, fieldsOf, settingsOf, type SimulatorFields } from "./simulator-settings.js";

type Name = keyof SimulatorFields;
const NAMES = Object.keys(FIELDS) as Name[];
const OFF = fieldsBy((name) => FIELDS[name].least);

const AS_IT_IS = "Network: as it is";
const OWN = "Network: own settings";

/** Simulates a worse network for this page, by a preset or field by field. */
export class SimulatorForm {
  /** The presets, and a button that ends the simulation. */
  readonly levers: HTMLElement;
  readonly fields: HTMLElement;
  readonly #room: Room;
  readonly #inputs: Readonly<Record<Name, HTMLInputElement>>;
  readonly #presets = make("select", { attributes: { "aria-label": "Network to pretend" } });
  readonly #problem = make("p", { class: "problem", attributes: { role: "alert" } });

  constructor(room: Room) {
    this.#room = room;
    this.#inputs = fieldsBy((name) => this.#input(name));
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

  #input(name: Name): HTMLInputElement {
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
    const fields = fieldsBy((name) => this.#value(name));
    this.#show(fields);
    const isOff = NAMES.every((name) => fields[name] === OFF[name]);
    this.#presets.value = isOff ? AS_IT_IS : OWN;
    this.#apply(isOff ? undefined : settingsOf(fields));
  }

  /** Returns the number in a field, limited to the field's range. */
  #value(name: Name): number {
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

/** Returns a value for each field. */
function fieldsBy<Value>(valueOf: (name: Name) => Value): Record<Name, Value> {
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
