import { CarPainter, type DrawnCar } from "../render/draw-car.js";
import { drawLawn, drawStart, drawTrack } from "../render/draw-track.js";
import { applyCamera, viewCircle, type Camera } from "../render/camera.js";
import { buildTrackChunks } from "../render/track-picture.js";
import { pacelineRing } from "../track/paceline-ring.js";
import { wrapAngle } from "../car/angle.js";
import { button, element, setText } from "../ui/element.js";
import { Show, type LaneName, type LineSettings } from "./show.js";
import type { Pose } from "./truth.js";

/** Metres of the world across a lane's picture. */
const ACROSS_M = 21;
const MAX_FRAME_MS = 100;
const FIGURES_PERIOD_MS = 250;
const TURN_PER_S = 5;

const TITLES: Readonly<Record<LaneName, readonly [string, string]>> = {
  raw: ["States as they come", "whole states, 20 a second"],
  interpolated: ["Interpolation", "whole states, 20 a second, shown 100 ms later"],
  paceline: ["Paceline", "sent when the others would be wrong by 10 cm"],
};

/** For a recording of the show: `advance` stops the live animation and draws the frame after `ms`. */
interface ShowHandle {
  advance(ms: number): void;
  readonly figures: Readonly<Record<LaneName, { errorM: number; bytesPerSecond: number }>>;
}

declare global {
  interface Window {
    pacelineShow?: ShowHandle;
  }
}

/** "What the network does": the same rival three ways, side by side. */
export class ShowView {
  readonly root: HTMLElement;
  readonly #show = new Show(pacelineRing);
  readonly #lanes: readonly Lane[];
  readonly #sameBytes: HTMLButtonElement;
  readonly #onClose: () => void;
  #frame = 0;
  #lastMs = 0;
  #sinceFiguresMs = 0;
  #headingRad = this.#show.truth.pose.headingRad;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
    this.#lanes = (["raw", "interpolated", "paceline"] as const).map((name) => new Lane(name));
    this.#sameBytes = button("Same bytes for all", "show-button", () => this.#toggleBytes());
    const close = button("Close", "show-button", () => this.close());
    this.root = element(
      "section",
      { class: "show", attributes: { role: "dialog", "aria-label": "What the network does" } },
      [
        element("header", { class: "show-head" }, [
          element("h2", { text: "What the network does" }),
          element("p", {
            text: "One rival, one line, three ways. Dashed: where it is. The car: where you see it.",
          }),
          element("div", { class: "show-buttons" }, [this.#sameBytes, close]),
        ]),
        element(
          "div",
          { class: "show-lanes" },
          this.#lanes.map(({ root }) => root),
        ),
        this.#sliders(),
      ],
    );
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      event.stopPropagation();
    });
    this.#show.advance(4000);
  }

  open(): void {
    document.body.append(this.root);
    this.#lastMs = performance.now();
    this.#frame = requestAnimationFrame(this.#onFrame);
    this.#sameBytes.focus();
    const figures = (name: LaneName) => this.#show.figures(name);
    window.pacelineShow = {
      advance: (ms) => {
        cancelAnimationFrame(this.#frame);
        this.#draw(ms);
        this.#writeFigures();
      },
      get figures() {
        return { raw: figures("raw"), interpolated: figures("interpolated"), paceline: figures("paceline") };
      },
    };
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    delete window.pacelineShow;
    this.root.remove();
    this.#onClose();
  }

  readonly #onFrame = (): void => {
    this.#frame = requestAnimationFrame(this.#onFrame);
    const nowMs = performance.now();
    const elapsedMs = Math.min(MAX_FRAME_MS, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#draw(elapsedMs);
    this.#sinceFiguresMs += elapsedMs;
    if (this.#sinceFiguresMs < FIGURES_PERIOD_MS) return;
    this.#sinceFiguresMs = 0;
    this.#writeFigures();
  };

  #draw(ms: number): void {
    this.#show.advance(ms);
    const truth = this.#show.truth.pose;
    const turn = wrapAngle(truth.headingRad - this.#headingRad);
    this.#headingRad = wrapAngle(this.#headingRad + turn * (1 - Math.exp((-TURN_PER_S * ms) / 1000)));
    for (const lane of this.#lanes) lane.draw(truth, this.#headingRad, this.#show.shown(lane.name));
  }

  #writeFigures(): void {
    for (const lane of this.#lanes) lane.write(this.#show.figures(lane.name));
  }

  #toggleBytes(): void {
    this.#show.isSameBytes = !this.#show.isSameBytes;
    this.#sameBytes.classList.toggle("on", this.#show.isSameBytes);
    this.#sameBytes.setAttribute("aria-pressed", String(this.#show.isSameBytes));
    for (const lane of this.#lanes) lane.describe(this.#show.isSameBytes);
  }

  #sliders(): HTMLElement {
    const change = (part: Partial<LineSettings>): void => {
      this.#show.line = { ...this.#show.line, ...part };
    };
    const { delayMs, jitterMs, lossRatio } = this.#show.line;
    return element("div", { class: "show-sliders" }, [
      slider("Delay", "ms each way", 250, delayMs, (value) => change({ delayMs: value })),
      slider("Jitter", "ms", 60, jitterMs, (value) => change({ jitterMs: value })),
      slider("Loss", "%", 20, lossRatio * 100, (value) => change({ lossRatio: value / 100 })),
    ]);
  }
}

class Lane {
  readonly name: LaneName;
  readonly root: HTMLElement;
  readonly #canvas = element("canvas", { class: "show-canvas", attributes: { role: "img" } });
  readonly #context: CanvasRenderingContext2D;
  readonly #how = element("p");
  readonly #error = element("b", { class: "num" });
  readonly #bytes = element("b", { class: "num" });
  readonly #painter = new CarPainter();
  static readonly #chunks = buildTrackChunks(pacelineRing);

  constructor(name: LaneName) {
    this.name = name;
    const [title] = TITLES[name];
    this.#canvas.setAttribute("aria-label", `The rival by way of: ${title}`);
    const context = this.#canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no Canvas 2D");
    this.#context = context;
    this.root = element("article", { class: `show-lane ${name}` }, [
      this.#canvas,
      element("h3", { text: title }),
      this.#how,
      element("dl", {}, [
        element("div", {}, [element("dt", { text: "off by" }), element("dd", {}, [this.#error])]),
        element("div", {}, [element("dt", { text: "takes" }), element("dd", {}, [this.#bytes])]),
      ]),
    ]);
    this.describe(false);
  }

  describe(isSameBytes: boolean): void {
    const [, how] = TITLES[this.name];
    const isOther = this.name !== "paceline";
    const text =
      isSameBytes && isOther ? how.replace("20 a second", "as many as Paceline's bytes allow") : how;
    setText(this.#how, text);
  }

  write({ errorM, bytesPerSecond }: { errorM: number; bytesPerSecond: number }): void {
    setText(this.#error, Number.isNaN(errorM) ? "–" : `${errorM.toFixed(2)} m`);
    setText(this.#bytes, `${Math.round(bytesPerSecond)} B/s`);
  }

  draw(truth: Pose, headingRad: number, shown: Pose | undefined): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== pixelWidth) this.#canvas.width = pixelWidth;
    if (this.#canvas.height !== pixelHeight) this.#canvas.height = pixelHeight;
    const camera: Camera = {
      x: truth.x,
      y: truth.y,
      rotationRad: -Math.PI / 2 - headingRad,
      pixelsPerM: Math.min(width, height * 1.6) / ACROSS_M,
      anchorX: 0.5,
      anchorY: 0.42,
    };
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    applyCamera(context, camera, width, height);
    const view = viewCircle(camera, width, height);
    drawLawn(context, pacelineRing.look, view);
    drawTrack(context, Lane.#chunks, view);
    drawStart(context, pacelineRing);
    if (shown) this.#painter.draw(context, this.#car(shown));
    this.#painter.truth(context, truth, shown);
    context.restore();
  }

  #car(pose: Pose): DrawnCar {
    return {
      key: this.name,
      ...pose,
      steer: 0,
      throttle: 0.5,
      handbrake: false,
      color: this.name === "paceline" ? "#3ecf7a" : "#e5484d",
      name: "",
      number: 7,
      isMine: false,
      isGhost: false,
    };
  }
}

function slider(
  label: string,
  unit: string,
  max: number,
  first: number,
  onChange: (value: number) => void,
): HTMLElement {
  const input = element("input", {
    attributes: { type: "range", min: "0", max: String(max), step: "1", value: String(first) },
  });
  const value = element("output", { text: `${first} ${unit}` });
  input.addEventListener("input", () => {
    setText(value, `${input.value} ${unit}`);
    onChange(Number(input.value));
  });
  return element("label", {}, [element("span", { text: label }), input, value]);
}
