import type { DriveInput } from "../car/car-state.js";
import { element } from "../ui/element.js";
import type { InputSource } from "./drive-command.js";

type Pad = "left" | "right" | "go" | "brake" | "drift";

const LABELS: Readonly<Record<Pad, string>> = {
  left: "◀",
  right: "▶",
  go: "GO",
  brake: "BRAKE",
  drift: "DRIFT",
};

export function hasTouch(): boolean {
  return navigator.maxTouchPoints > 0 && window.matchMedia("(any-pointer: coarse)").matches;
}

/** Pads on a touch screen: for steering on the left, for the pedals on the right. */
export class TouchPads implements InputSource {
  readonly root: HTMLElement;
  /** The pad under each finger. A finger may slide from one pad to the next. */
  readonly #fingers = new Map<number, Pad>();
  readonly #pads: Readonly<Record<Pad, HTMLElement>>;

  constructor() {
    const pad = (name: Pad): HTMLElement =>
      element("div", {
        class: `touch-pad touch-${name}`,
        text: LABELS[name],
        attributes: { "data-pad": name },
      });
    this.#pads = {
      left: pad("left"),
      right: pad("right"),
      go: pad("go"),
      brake: pad("brake"),
      drift: pad("drift"),
    };
    const { left, right, go, brake, drift } = this.#pads;
    this.root = element("div", { class: "touch" }, [
      element("div", { class: "touch-steer" }, [left, right]),
      element("div", { class: "touch-pedals" }, [brake, drift, go]),
    ]);
    for (const type of ["pointerdown", "pointermove"] as const) {
      this.root.addEventListener(type, (event) => this.#hold(event), { passive: false });
    }
    for (const type of ["pointerup", "pointercancel"] as const) {
      window.addEventListener(type, (event) => this.#release(event.pointerId));
    }
    window.addEventListener("blur", () => this.#releaseAll());
    this.root.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  read(): DriveInput | undefined {
    if (this.#fingers.size === 0) return undefined;
    const held = new Set(this.#fingers.values());
    const on = (pad: Pad): number => (held.has(pad) ? 1 : 0);
    return {
      steer: on("right") - on("left"),
      throttle: on("go") - on("brake"),
      handbrake: held.has("drift"),
    };
  }

  #hold(event: PointerEvent): void {
    event.preventDefault();
    if (event.type === "pointerdown" && event.target instanceof Element) {
      // The browser sends all events of a touch to the pad where it began, but a thumb may slide to another.
      if (event.target.hasPointerCapture(event.pointerId))
        event.target.releasePointerCapture(event.pointerId);
    }
    if (event.type === "pointermove" && !this.#fingers.has(event.pointerId)) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const name = under?.getAttribute("data-pad");
    if (name !== undefined && name !== null && name in this.#pads)
      this.#fingers.set(event.pointerId, name as Pad);
    this.#show();
  }

  #release(pointerId: number): void {
    this.#fingers.delete(pointerId);
    this.#show();
  }

  #releaseAll(): void {
    this.#fingers.clear();
    this.#show();
  }

  #show(): void {
    const held = new Set(this.#fingers.values());
    for (const [name, pad] of Object.entries(this.#pads)) pad.classList.toggle("held", held.has(name as Pad));
  }
}
