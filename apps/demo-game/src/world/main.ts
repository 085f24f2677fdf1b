import { button, element, setText } from "../ui/element.js";
import type { ByteMeter } from "./byte-meter.js";
import { Visit } from "./visit.js";
import "./world.css";
import {
  WORLD_M,
  radiiM,
  ringCounts,
  ringsOf,
  schemes,
  type WorldChoice,
} from "./world-kinds.js";
import { NearView, RING_COLORS, WorldMap, type Scene } from "./world-view.js";

const MEASURE_MS = 1000;
/** The ends of a visitor's walk, until it walks itself. */
const TOUR = [
  { x: 650, y: 420 },
  { x: 600, y: 700 },
  { x: 320, y: 640 },
  { x: 380, y: 330 },
];
const TOUR_MS = 15_000;

const START: WorldChoice = { scheme: "squares", radiusM: 120, rings: 2 };

/** What the page can be asked by a test. */
interface WorldWindow {
  pacelineWorld?: { readonly visit: Visit };
}

function slider<Value extends number>(
  label: string,
  values: readonly Value[],
  start: Value,
  textOf: (value: Value) => string,
  onChoose: (value: Value) => void,
): HTMLElement {
  const output = element("output", { text: textOf(start) });
  const input = element("input", {
    attributes: { type: "range", min: "0", max: String(values.length - 1), step: "1", "aria-label": label },
  });
  input.value = String(values.indexOf(start));
  input.addEventListener("input", () => {
    const value = values[Number(input.value)]!;
    setText(output, textOf(value));
    input.setAttribute("aria-valuetext", textOf(value));
    onChoose(value);
  });
  return element("label", { class: "control" }, [element("span", { text: label }), input, output]);
}

function schemeChoice(start: string, onChoose: (scheme: WorldChoice["scheme"]) => void): HTMLElement {
  const select = element(
    "select",
    { attributes: { "aria-label": "Cells" } },
    schemes.map((scheme) => element("option", { text: scheme, attributes: { value: scheme } })),
  );
  select.value = start;
  select.addEventListener("change", () => onChoose(schemes.find((scheme) => scheme === select.value)!));
  return element("label", { class: "control" }, [element("span", { text: "Cells" }), select]);
}

/** Draws two connections' bytes as bars of the last half minute. */
class BytesPlot {
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
    const step = canvas.width / 30;
    for (const [meter, color] of [
      [whole, "#4a5568"],
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

async function run(app: HTMLElement): Promise<void> {
  const status = element("p", { class: "note", text: "joining …", attributes: { role: "status" } });
  const near = element("canvas", { class: "near", attributes: { "aria-label": "The world around you" } });
  const map = element("canvas", { class: "map", attributes: { "aria-label": "The whole world" } });
  app.replaceChildren(near, status);
  const server = new URLSearchParams(location.search).get("server") ?? location.origin;
  const visit = await Visit.begin(server, START);
  let choice = START;
  const choose = (change: Partial<WorldChoice>): void => {
    choice = { ...choice, ...change };
    visit.choose(choice).catch((error: unknown) => setText(status, String(error)));
  };
  const plot = new BytesPlot();
  const legend = element("p", { class: "legend" });
  const panel = element("aside", {}, [
    element("h1", { text: "A world of five hundred" }),
    element("p", {
      class: "lead",
      text: "Everybody walks. Your page gets only what concerns you; grey dots are in no byte of it.",
    }),
    map,
    legend,
    plot.root,
    slider("View", radiiM, START.radiusM, (value) => `${value} m`, (radiusM) => choose({ radiusM })),
    slider("Rings", ringCounts, START.rings, String, (rings) => choose({ rings })),
    schemeChoice(START.scheme, (scheme) => choose({ scheme })),
    element("p", { class: "links" }, [
      element("a", { text: "The race", attributes: { href: "/" } }),
    ]),
  ]);
  app.append(panel);
  setText(status, "Click to walk");

  const nearView = new NearView(near);
  const worldMap = new WorldMap(map);
  let tour: ReturnType<typeof setInterval> | undefined = setInterval(walkOn, TOUR_MS);
  let leg = 0;
  function walkOn(): void {
    visit.walkTo(TOUR[leg++ % TOUR.length]!);
  }
  walkOn();
  near.addEventListener("pointerdown", ({ clientX, clientY }) => {
    clearInterval(tour);
    tour = undefined;
    visit.walkTo(nearView.placeAt(clientX, clientY));
  });

  function draw(): void {
    const own = visit.own?.shown.position ?? { x: WORLD_M / 2, y: WORLD_M / 2 };
    const rings = ringsOf(visit.choice);
    const scene: Scene = { own: { x: own.x, y: own.y }, seen: visit.seen, all: visit.all, rings };
    nearView.draw(scene);
    worldMap.draw(scene, visit.choice.scheme === "squares" ? visit.choice.radiusM / 2 : undefined);
    setText(legend, `${visit.seen.length} of ${visit.all.length} walkers reach you`);
    requestAnimationFrame(draw);
  }
  draw();
  setInterval(() => {
    visit.measure();
    plot.draw(visit.near, visit.whole);
  }, MEASURE_MS);
  (window as unknown as WorldWindow).pacelineWorld = { visit };
}

const app = document.querySelector<HTMLElement>("#app")!;
run(app).catch((error: unknown) => {
  app.replaceChildren(
    element("p", { class: "note", text: `The world cannot be reached: ${String(error)}` }),
    button("Try again", "retry", () => location.reload()),
  );
});
