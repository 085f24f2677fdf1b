import { element, setText } from "../ui/element.js";
import type { ByteMeter } from "./byte-meter.js";
import { RING_COLORS } from "./world-view.js";

const UNSEEN_COLOR = "#4a5568";
const BARS = 30;

/** Draws two connections' bytes as bars of the last half minute. */
export class BytesPlot {
  readonly root: HTMLElement;
  readonly #near = element("b", { class: "near-bytes", text: "…" });
  readonly #whole = element("b", { class: "whole-bytes", text: "…" });
  readonly #share = element("p", { class: "share", attributes: { role: "status" } });
  readonly #canvas = element("canvas", { attributes: { "aria-hidden": "true" } });

  constructor() {
    this.root = element("section", { class: "bytes" }, [
      element("p", {}, ["with interest ", this.#near]),
      element("p", {}, ["everything ", this.#whole]),
      this.#canvas,
      this.#share,
    ]);
  }

  draw(near: ByteMeter, whole: ByteMeter): void {
    setText(this.#near, kilobytes(near.now));
    setText(this.#whole, kilobytes(whole.now));
    const share = whole.now === 0 ? 0 : near.now / whole.now;
    setText(this.#share, `${Math.round(100 * share)} % of the bytes`);
    const { canvas, paint } = { canvas: this.#canvas, paint: this.#canvas.getContext("2d")! };
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const most = Math.max(1, ...whole.perSecond, ...near.perSecond);
    const step = canvas.width / BARS;
    for (const [meter, color] of [
      [whole, UNSEEN_COLOR],
      [near, RING_COLORS[0]],
    ] as const) {
      paint.fillStyle = color;
      for (const [second, bytes] of meter.perSecond.entries()) {
        const height = (bytes / most) * canvas.height;
        paint.fillRect(second * step, canvas.height - height, step * 0.8, height);
      }
    }
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB/s`;
}
