const SVG = "http://www.w3.org/2000/svg";
const POINTS = 60;
const WIDTH = 120;
const HEIGHT = 28;
/** Smallest range of the height, ms: noise of a few ms must not look like a storm. */
const LEAST_SCALE_MS = 50;

/** The last round trips as a line; for eyes only, since the number stands beside it. */
export class Sparkline {
  readonly root: SVGSVGElement;
  readonly #line: SVGPolylineElement;
  readonly #values: number[] = [];

  constructor() {
    this.root = document.createElementNS(SVG, "svg");
    this.root.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.root.setAttribute("preserveAspectRatio", "none");
    this.root.setAttribute("aria-hidden", "true");
    this.#line = document.createElementNS(SVG, "polyline");
    this.root.append(this.#line);
  }

  add(value: number): void {
    this.#values.push(value);
    if (this.#values.length > POINTS) this.#values.shift();
    const scale = Math.max(LEAST_SCALE_MS, ...this.#values) * 1.1;
    const points = this.#values.map((each, index) => {
      const x = WIDTH - (this.#values.length - 1 - index) * (WIDTH / (POINTS - 1));
      return `${x.toFixed(1)},${(HEIGHT - (each / scale) * HEIGHT).toFixed(1)}`;
    });
    this.#line.setAttribute("points", points.join(" "));
  }
}
