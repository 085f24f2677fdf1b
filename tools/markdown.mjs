/** The part of markdown that the checks of documents need: links, headings and code fences. */

/** @typedef {{ language: string, info: string, line: number, code: string }} Fence */

const FENCE = /^```(\w*) ?(.*)$/;

/** @param {string} text @returns {Fence[]} */
export function fencesOf(text) {
  /** @type {Fence[]} */
  const fences = [];
  /** @type {Fence | undefined} */
  let open;
  for (const [index, line] of text.split("\n").entries()) {
    const mark = FENCE.exec(line);
    if (open === undefined && mark !== null) {
      open = { language: mark[1] ?? "", info: (mark[2] ?? "").trim(), line: index + 1, code: "" };
    } else if (open !== undefined && line === "```") {
      fences.push(open);
      open = undefined;
    } else if (open !== undefined) {
      open.code += `${line}\n`;
    }
  }
  if (open !== undefined) throw new Error(`the code fence in line ${open.line} never ends`);
  return fences;
}

/** @param {string} text @returns {string} the text without its code, in which brackets mean something else */
export function withoutCode(text) {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

/** @param {string} text @returns {string[]} the targets of all links and images */
export function linksOf(text) {
  return [...withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map((match) => match[1] ?? "");
}

/** @param {string} text @returns {string[]} the anchors that its headings make, as GitHub makes them */
export function anchorsOf(text) {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
