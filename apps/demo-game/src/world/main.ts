import { button, element, setText } from "../ui/element.js";
import { BytesPlot } from "./bytes-plot.js";
import { schemeChoice, slider } from "./controls.js";
import { Visit } from "./visit.js";
import "./world.css";
import { WORLD_M, radiiM, ringCounts, ringsOf, type WorldChoice } from "./world-kinds.js";
import { NearView, WorldMap, type Scene } from "./world-view.js";

const MEASURE_MS = 1000;
/** Corners of the visitor's walk, until it clicks. */
const TOUR = [
  { x: 650, y: 420 },
  { x: 600, y: 700 },
  { x: 320, y: 640 },
  { x: 380, y: 330 },
] as const;
const TOUR_MS = 15_000;
const START: WorldChoice = { scheme: "squares", radiusM: 120, rings: 2 };

/** A test reads these. */
interface WorldWindow {
  pacelineWorld?: { readonly visit: Visit };
}

/** The page of a visit: the world around the visitor, and a panel with map, bytes and controls. */
class WorldPage {
  readonly #visit: Visit;
  readonly #near = element("canvas", { class: "near", attributes: { "aria-label": "The world around you" } });
  readonly #map = element("canvas", { class: "map", attributes: { "aria-label": "The whole world" } });
  readonly #status = element("p", { class: "note", text: "Click to walk", attributes: { role: "status" } });
  readonly #legend = element("p", { class: "legend" });
  readonly #plot = new BytesPlot();
  readonly #nearView = new NearView(this.#near);
  readonly #worldMap = new WorldMap(this.#map);
  #choice = START;
  #leg = 0;

  constructor(app: HTMLElement, visit: Visit) {
    this.#visit = visit;
    app.replaceChildren(this.#near, this.#status, this.#panel());
  }

  /** Walks, draws and measures from now on. */
  start(): void {
    const { near, whole } = this.#visit;
    this.#walk();
    this.#draw();
    setInterval(() => {
      this.#visit.measure();
      this.#plot.draw(near, whole);
    }, MEASURE_MS);
  }

  #panel(): HTMLElement {
    const lead = "Everybody walks. Your page gets only what concerns you; grey dots are in no byte of it.";
    return element("aside", {}, [
      element("h1", { text: "A world of five hundred" }),
      element("p", { class: "lead", text: lead }),
      this.#map,
      this.#legend,
      this.#plot.root,
      slider(
        "View",
        radiiM,
        START.radiusM,
        (metres) => `${metres} m`,
        (radiusM) => this.#choose({ radiusM }),
      ),
      slider("Rings", ringCounts, START.rings, String, (rings) => this.#choose({ rings })),
      schemeChoice(START.scheme, (scheme) => this.#choose({ scheme })),
      element("p", { class: "links" }, [element("a", { text: "The race", attributes: { href: "/" } })]),
    ]);
  }

  #choose(change: Partial<WorldChoice>): void {
    this.#choice = { ...this.#choice, ...change };
    this.#visit.choose(this.#choice).catch((error: unknown) => setText(this.#status, String(error)));
  }

  /** Walks around, until the visitor clicks. */
  #walk(): void {
    const walkOn = (): void => this.#visit.walkTo(TOUR[this.#leg++ % TOUR.length]!);
    walkOn();
    const tour = setInterval(walkOn, TOUR_MS);
    this.#near.addEventListener("pointerdown", ({ clientX, clientY }) => {
      clearInterval(tour);
      this.#visit.walkTo(this.#nearView.placeAt(clientX, clientY));
    });
  }

  readonly #draw = (): void => {
    const { all, choice, own, seen } = this.#visit;
    const { x, y } = own?.shown.position ?? { x: WORLD_M / 2, y: WORLD_M / 2 };
    const scene: Scene = { own: { x, y }, seen, all, rings: ringsOf(choice) };
    this.#nearView.draw(scene);
    this.#worldMap.draw(scene, choice.scheme === "squares" ? choice.radiusM / 2 : undefined);
    setText(this.#legend, `${seen.length} of ${all.length} walkers reach you`);
    requestAnimationFrame(this.#draw);
  };
}

async function run(app: HTMLElement): Promise<void> {
  app.replaceChildren(element("p", { class: "note", text: "joining …", attributes: { role: "status" } }));
  const server = new URLSearchParams(location.search).get("server") ?? location.origin;
  const visit = await Visit.begin(server, START);
  new WorldPage(app, visit).start();
  (window as unknown as WorldWindow).pacelineWorld = { visit };
}

const app = document.querySelector<HTMLElement>("#app")!;
run(app).catch((error: unknown) => {
  app.replaceChildren(
    element("p", { class: "note", text: `The world cannot be reached: ${String(error)}` }),
    button("Try again", "retry", () => location.reload()),
  );
});
