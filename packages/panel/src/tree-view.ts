import { decisionTree, fetchTreeWords, type Plan } from "@paceline/transport";
import { make, makeSvg } from "./dom.js";

const WIDTH = 392;
const [ASK, BOX, GAP] = [15, 46, 18];
const SPACE = 8;
/** The questions about links. Those about rates change no path. */
const DRAWN = new Set(["content", "paths", "events", "server"]);

/** The first fork of the decision tree in the thesis. */
const KINDS_OF_GAMES: readonly { readonly text: string; readonly genres: readonly string[] }[] = [
  { text: "fast: shooter, racing", genres: ["shooter", "racing"] },
  { text: "action, role-playing, many players", genres: ["action", "rpg", "mmo"] },
  { text: "calm: strategy, puzzle, party", genres: ["strategy", "puzzle", "party"] },
];

interface Level {
  readonly ask: string;
  readonly choices: readonly string[];
  readonly taken: number;
}

/**
 * Draws the decision tree as in Figure 6.1 of the thesis: questions from top to bottom, answers side by side,
 * the taken branches highlighted.
 */
export class TreeView {
  readonly root = make("div", { class: "tree" });
  #shown = "";

  async show(plan: Plan): Promise<void> {
    const key = JSON.stringify(plan.reasons) + plan.inputs.genre;
    if (key === this.#shown) return;
    const levels = await levelsOf(plan);
    this.#shown = key;
    this.root.replaceChildren(drawn(levels));
  }
}

async function levelsOf(plan: Plan): Promise<Level[]> {
  const words = await fetchTreeWords();
  const { genre } = plan.inputs;
  const levels: Level[] = [
    {
      ask: `What kind of game is it? (${genre})`,
      choices: KINDS_OF_GAMES.map(({ text }) => text),
      taken: KINDS_OF_GAMES.findIndex(({ genres }) => genres.includes(genre)),
    },
  ];
  for (const { question, row } of plan.reasons) {
    const known = words.find((candidate) => candidate.question === question);
    const rows = decisionTree.find(({ id }) => id === question)?.rows ?? [];
    if (!known || !DRAWN.has(question)) continue;
    const choices = [...new Set(rows.map(({ id }) => known.rows[id]?.choice ?? id))];
    levels.push({ ask: known.ask, choices, taken: choices.indexOf(known.rows[row]?.choice ?? row) });
  }
  return levels;
}

function drawn(levels: readonly Level[]): SVGSVGElement {
  const level = ASK + BOX + GAP;
  const svg = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${levels.length * level - GAP}`, role: "img" });
  svg.setAttribute(
    "aria-label",
    levels.map(({ ask, choices, taken }) => `${ask} ${choices[taken]}.`).join(" "),
  );
  const lit: SVGElement[] = [];
  levels.forEach(({ ask, choices, taken }, depth) => {
    const top = depth * level;
    const width = (WIDTH - SPACE * (choices.length - 1)) / choices.length;
    const middle = (index: number, count = choices.length): number =>
      index * ((WIDTH - SPACE * (count - 1)) / count + SPACE) + (WIDTH - SPACE * (count - 1)) / count / 2;
    const before = levels[depth - 1];
    const caption = makeSvg("text", { x: "0", y: `${top + 10}`, class: "ask" });
    caption.textContent = ask;
    choices.forEach((choice, index) => {
      const isTaken = index === taken;
      if (before) {
        const from = middle(before.taken, before.choices.length);
        const path = makeSvg("path", {
          d: `M${from} ${top - GAP}V${top - GAP / 2}H${middle(index)}V${top + ASK}`,
          class: isTaken ? "lit" : "",
        });
        if (isTaken) lit.push(path);
        else svg.append(path);
      }
      const box = makeSvg("foreignObject", {
        ...{ x: `${index * (width + SPACE)}`, y: `${top + ASK}`, width: `${width}`, height: `${BOX}` },
      });
      box.append(make("div", { class: isTaken ? "answer lit" : "answer", text: choice }));
      svg.append(box);
    });
    svg.append(caption);
  });
  // Drawn last, because all branches share the stem.
  svg.append(...lit);
  return svg;
}
