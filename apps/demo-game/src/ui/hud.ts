import { formatTime } from "../race/standings.js";
import { element, setText } from "./element.js";

export interface HudState {
  readonly speedMps: number;
  /** 0 for a spectator. */
  readonly place: number;
  readonly drivers: number;
  readonly lap: number;
  readonly laps: number;
  readonly lapTimeMs: number;
  readonly lastMs: number;
  readonly bestMs: number;
  readonly isWrongWay: boolean;
  readonly driftRad: number;
}

const KMH_PER_MPS = 3.6;
const FULL_SCALE_KMH = 180;

/** Shows place, lap, times, speed and short messages; a spectator sees the watched driver's name instead of a place. */
export class Hud {
  readonly root: HTMLElement;
  readonly #place = element("b");
  readonly #drivers = element("span");
  readonly #lap = element("b");
  readonly #time = element("span", { class: "num" });
  readonly #last = element("span", { class: "num" });
  readonly #best = element("span", { class: "num" });
  readonly #speed = element("b", { class: "num" });
  readonly #bar = element("i");
  readonly #drift = element("div", { class: "drift", text: "DRIFT" });
  readonly #warning = element("div", { class: "wrong-way", text: "Wrong way", attributes: { hidden: "" } });
  readonly #message = element("div", { class: "message", attributes: { role: "status", hidden: "" } });
  readonly #watchedName = element("bdi");
  readonly #watchedDelay = element("span", { class: "num" });
  readonly #watched = element("div", { class: "watched", attributes: { hidden: "" } }, [
    element("span", { attributes: { role: "status" } }, ["◀ Watching ", this.#watchedName, " ▶"]),
    this.#watchedDelay,
  ]);
  #messageTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const row = (label: string, value: HTMLElement): HTMLElement =>
      element("div", { class: "time-row" }, [element("span", { class: "label", text: label }), value]);
    this.root = element("div", { class: "hud" }, [
      element("div", { class: "place-card" }, [
        element("div", { class: "place" }, [element("small", { text: "POS" }), this.#place, this.#drivers]),
        element("div", { class: "lap" }, [element("small", { text: "LAP" }), this.#lap]),
        element("div", { class: "times" }, [
          row("time", this.#time),
          row("last", this.#last),
          row("best", this.#best),
        ]),
      ]),
      element("div", { class: "speed-card" }, [
        this.#drift,
        element("div", { class: "speed" }, [this.#speed, element("small", { text: "km/h" })]),
        element("div", { class: "speed-bar" }, [this.#bar]),
      ]),
      this.#warning,
      this.#message,
      this.#watched,
    ]);
  }

  show(state: HudState): void {
    setText(this.#place, state.place === 0 ? "–" : String(state.place));
    setText(this.#drivers, `/${state.drivers}`);
    setText(this.#lap, `${Math.min(state.laps, state.lap)}/${state.laps}`);
    setText(this.#time, formatTime(state.lapTimeMs).slice(0, -1));
    setText(this.#last, state.lastMs > 0 ? formatTime(state.lastMs) : "–");
    setText(this.#best, state.bestMs > 0 ? formatTime(state.bestMs) : "–");
    const kmh = state.speedMps * KMH_PER_MPS;
    setText(this.#speed, String(Math.round(kmh)));
    this.#bar.style.transform = `scaleX(${Math.min(1, kmh / FULL_SCALE_KMH).toFixed(3)})`;
    this.#drift.classList.toggle("on", state.driftRad > 0.22 && state.speedMps > 7);
    this.#warning.hidden = !state.isWrongWay;
  }

  /**
   * Shows which driver a spectator watches. `delayMs`: age of what is shown, undefined while it is unknown.
   */
  showWatched(name: string | undefined, delayMs: number | undefined): void {
    setText(this.#watchedName, name ?? "nobody: no car drives yet");
    setText(this.#watchedDelay, delayMs === undefined ? "" : ` ${Math.round(delayMs)} ms behind`);
    this.#watched.hidden = false;
  }

  hideWatched(): void {
    this.#watched.hidden = true;
  }

  say(text: string, forMs: number, tone: "plain" | "good" | "best" | "problem" = "plain"): void {
    clearTimeout(this.#messageTimer);
    setText(this.#message, text);
    this.#message.className = `message ${tone}`;
    this.#message.hidden = false;
    this.#messageTimer = setTimeout(() => (this.#message.hidden = true), forMs);
  }
}
