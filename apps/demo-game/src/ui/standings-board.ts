import type { RunnerView } from "../net/race-participant.js";
import { formatTime } from "../race/standings.js";
import { element } from "./element.js";

/** Speed by which a gap in metres is shown in seconds. */
const GAP_SPEED_MPS = 27;
const MAX_ROWS = 10;

/** Shows the running order, top left. */
export class StandingsBoard {
  readonly root = element("ol", { class: "standings" });
  #shown = "";

  show(runners: readonly RunnerView[]): void {
    const leader = runners[0];
    const rows = runners.slice(0, MAX_ROWS).map((runner) => ({
      runner,
      gap: leader === undefined || runner === leader ? "" : gapText(leader, runner),
    }));
    const key = rows
      .map(({ runner, gap }) => `${runner.number}${runner.card.name}${runner.card.color}${gap}`)
      .join("|");
    if (key === this.#shown) return;
    this.#shown = key;
    this.root.replaceChildren(
      ...rows.map(({ runner, gap }, index) => {
        const chip = element("i");
        chip.style.background = runner.card.color;
        return element("li", { class: runner.isMine ? "mine" : "" }, [
          element("span", { class: "rank", text: String(index + 1) }),
          chip,
          element("span", { class: "who", text: runner.card.name, attributes: { dir: "auto" } }),
          element("span", { class: "gap num", text: gap }),
        ]);
      }),
    );
  }
}

function gapText(leader: RunnerView, runner: RunnerView): string {
  if (runner.entry?.finished === true && leader.entry?.finished === true) {
    return `+${((runner.entry.totalMs - leader.entry.totalMs) / 1000).toFixed(1)}`;
  }
  return `+${Math.max(0, (leader.progressM - runner.progressM) / GAP_SPEED_MPS).toFixed(1)}`;
}

/** Shows the results after a race. */
export class ResultsBoard {
  readonly root: HTMLElement;
  readonly #title = element("h2", { text: "Result" });
  readonly #rows = element("ol", { class: "results-rows" });
  readonly #next = element("p", { class: "results-next" });

  constructor() {
    this.root = element("div", { class: "results", attributes: { hidden: "" } }, [
      this.#title,
      this.#rows,
      this.#next,
    ]);
  }

  show(runners: readonly RunnerView[], laps: number, news: string): void {
    const fastestMs = Math.min(...runners.map(({ entry }) => entry?.bestMs || Number.POSITIVE_INFINITY));
    this.#title.textContent =
      news === "" ? "Result" : `Result: ${news.charAt(0).toLowerCase()}${news.slice(1)}`;
    this.#rows.replaceChildren(
      ...runners.map((runner, index) => {
        const { entry, card } = runner;
        const chip = element("i");
        chip.style.background = card.color;
        const total =
          entry?.finished === true ? formatTime(entry.totalMs) : `${entry?.laps ?? 0} of ${laps} laps`;
        const best = entry !== undefined && entry.bestMs > 0 ? formatTime(entry.bestMs) : "–";
        return element("li", { class: runner.isMine ? "mine" : "" }, [
          element("span", { class: "rank", text: String(index + 1) }),
          chip,
          element("span", { class: "who", text: card.name, attributes: { dir: "auto" } }),
          element("span", { class: "num total", text: total }),
          element("span", {
            class: entry?.bestMs === fastestMs ? "num best fastest" : "num best",
            text: best,
            title: entry?.bestMs === fastestMs ? "fastest lap of all" : "best lap",
          }),
        ]);
      }),
    );
    this.root.hidden = false;
  }

  countDown(remainingMs: number): void {
    this.#next.textContent = `Next race in ${Math.ceil(remainingMs / 1000)} s`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}
