import { element } from "./element.js";

const LAMPS = 5;

/** Five red lamps that light up one by one, and turn green at the start. */
export class StartLights {
  readonly root: HTMLElement;
  readonly #lamps: readonly HTMLElement[];
  #shown = "";
  #hideTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#lamps = Array.from({ length: LAMPS }, () => element("i"));
    this.root = element("div", { class: "lights", attributes: { hidden: "" } }, [...this.#lamps]);
  }

  /** Shows that many lamps. Returns true if this call lit another one. */
  showLit(count: number): boolean {
    const key = `lit ${count}`;
    if (this.#shown === key) return false;
    this.#shown = key;
    clearTimeout(this.#hideTimer);
    this.root.hidden = false;
    this.root.classList.remove("go");
    this.#lamps.forEach((lamp, index) => lamp.classList.toggle("lit", index < count));
    return count > 0;
  }

  showGo(): void {
    if (this.#shown === "go") return;
    this.#shown = "go";
    this.root.hidden = false;
    this.root.classList.add("go");
    this.#hideTimer = setTimeout(() => this.hide(), 1600);
  }

  hide(): void {
    this.#shown = "";
    this.root.hidden = true;
  }
}
