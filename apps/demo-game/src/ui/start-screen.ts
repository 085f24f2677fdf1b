import { colorName } from "../race/color-names.js";
import { MAX_NAME_LENGTH, readColor, readText } from "../race/race-messages.js";
import { button, element, setText } from "./element.js";

export interface DriverChoice {
  name: string;
  color: string;
  mode: "mesh" | "relay" | "server";
  /** True for a spectator, who has no car. */
  isSpectator: boolean;
}

const MODE_LABELS: Readonly<Record<DriverChoice["mode"], string>> = {
  mesh: "Among players: direct paths",
  relay: "Among players, through the relay",
  server: "A server decides",
};

/** The lobby: name, colour, mode, buttons, and why the player could not join or has left. */
export class StartScreen {
  readonly root: HTMLElement;
  readonly #name: HTMLInputElement;
  readonly #go: HTMLButtonElement;
  readonly #status: HTMLElement;
  readonly #swatches: HTMLInputElement[];
  readonly #mode: HTMLSelectElement;
  readonly #lead: HTMLElement;
  readonly #onRace: (choice: DriverChoice) => void;
  readonly #goText: string;
  #color: string;

  constructor(
    initial: DriverChoice,
    colors: readonly string[],
    onRace: (choice: DriverChoice) => void,
    onShow: () => void,
  ) {
    this.#color = initial.color;
    this.#name = element("input", {
      class: "start-name",
      attributes: {
        type: "text",
        maxlength: String(MAX_NAME_LENGTH),
        autocomplete: "nickname",
        spellcheck: "false",
        "aria-label": "Your name",
      },
    });
    this.#name.value = initial.name;
    const offered = colors.includes(initial.color) ? colors : [...colors.slice(0, -1), initial.color];
    this.#swatches = offered.map((color) => this.#swatch(color));
    this.#mode = modeChoice(initial.mode);
    this.#go = element("button", { class: "start-go", text: "Race", attributes: { type: "submit" } });
    this.#status = element("p", { class: "start-status", attributes: { role: "status" } });
    this.#lead = element("p", { class: "start-lead" });
    const form = element("form", { class: "start-card" }, [
      element("h1", { class: "wordmark" }, [
        element("span", { text: "PACE" }),
        element("b", { text: "LINE" }),
      ]),
      this.#lead,
      element("label", { class: "start-label", text: "Name" }),
      this.#name,
      element("span", { class: "start-label", text: "Colour" }),
      element(
        "div",
        { class: "swatches", attributes: { role: "radiogroup", "aria-label": "Colour" } },
        this.#swatches.map((input) => element("label", { class: "swatch" }, [input, swatchDot(input.value)])),
      ),
      element("label", { class: "start-label", text: "Race" }),
      this.#mode,
      this.#go,
      button(initial.isSpectator ? "Race" : "Watch", "start-show", () => this.#choose(!initial.isSpectator)),
      button("What the network does", "start-show", onShow),
      this.#status,
      keysHelp(),
    ]);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#choose(initial.isSpectator);
    });
    this.#onRace = onRace;
    this.#goText = initial.isSpectator ? "Watch" : "Race";
    setText(this.#go, this.#goText);
    this.root = element("div", { class: "start" }, [form]);
  }

  #choose(isSpectator: boolean): void {
    const name = readText(this.#name.value, MAX_NAME_LENGTH);
    if (name === undefined) {
      this.#name.focus();
      this.say("Please enter a name.", true);
      return;
    }
    this.#onRace({ name, color: this.#color, mode: modeOf(this.#mode.value), isSpectator });
  }

  focus(): void {
    // Keeps the top of the card in view on a low screen.
    this.#go.focus({ preventScroll: true });
  }

  /** Shows whose race this will be, and a link to the other kind. */
  showRace(text: string, other: string, onOther: () => void): void {
    setText(this.#lead, `${text} `);
    this.#lead.append(button(other, "link", onOther));
  }

  setBusy(isBusy: boolean): void {
    this.#go.disabled = isBusy;
    setText(this.#go, isBusy ? "Joining…" : this.#goText);
  }

  /** Shows a sentence. `detail`: the exact error, as a tooltip. */
  say(text: string, isProblem = false, detail = ""): void {
    setText(this.#status, text);
    this.#status.title = detail;
    this.#status.classList.toggle("problem", isProblem);
    // On a small screen the sentence may be below the window's end.
    if (isProblem) this.#status.scrollIntoView({ block: "nearest" });
  }

  /** Shows the time until the next attempt, second by second. */
  countDown(remainingMs: number): void {
    const clock = element("span");
    this.#status.append(clock);
    const endMs = performance.now() + remainingMs;
    const tick = (): void => {
      // Another sentence has replaced this one.
      if (!clock.isConnected) return clearInterval(timer);
      const seconds = Math.max(0, Math.ceil((endMs - performance.now()) / 1000));
      setText(clock, seconds === 0 ? " Trying again…" : ` Trying again in ${seconds} s.`);
    };
    const timer = setInterval(tick, 250);
    tick();
  }

  offer(label: string, onClick: () => void): void {
    this.#status.append(" ", button(label, "link", onClick));
  }

  #swatch(color: string): HTMLInputElement {
    const input = element("input", {
      attributes: { type: "radio", name: "color", "aria-label": colorName(color) },
    });
    input.value = color;
    input.checked = color === this.#color;
    input.addEventListener("change", () => {
      this.#color = readColor(input.value) ?? this.#color;
    });
    return input;
  }
}

function modeChoice(initial: DriverChoice["mode"]): HTMLSelectElement {
  const select = element("select", {
    class: "start-mode",
    attributes: { "aria-label": "Who decides the race" },
  });
  for (const [value, text] of Object.entries(MODE_LABELS)) {
    select.append(element("option", { text, attributes: { value } }));
  }
  select.value = initial;
  return select;
}

function modeOf(value: string): DriverChoice["mode"] {
  return value === "server" || value === "relay" ? value : "mesh";
}

function swatchDot(color: string): HTMLElement {
  const dot = element("i");
  dot.style.background = color;
  return dot;
}

function keysHelp(): HTMLElement {
  const key = (name: string, meaning: string): HTMLElement =>
    element("li", {}, [element("kbd", { text: name }), element("span", { text: meaning })]);
  return element("ul", { class: "keys" }, [
    key("↑ ↓ ← →", "drive"),
    key("Space", "handbrake"),
    key("R", "back to the track"),
    key("C", "camera"),
    key("M", "sound"),
    key("K", "kill a path"),
    key("P", "connections"),
  ]);
}
