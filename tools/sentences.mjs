import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const ROOT = path.resolve(import.meta.dirname, "..");
/** Folders of the code that a game or an operator runs. */
const SOURCES = [
  ...readdirSync(path.join(ROOT, "packages"))
    .filter((name) => name !== "testkit")
    .map((name) => `packages/${name}/src`),
  "apps/relay-server/src",
];
/** Pages, which are no sentences, and tables of meanings, which name no cure. */
const EXCLUDED = [
  "packages/cli/src/server/admin-page.ts",
  "packages/cli/src/dev/overlay.ts",
  "packages/panel/src/",
  "packages/protocol/src/errors/error-codes.ts",
  "packages/transport/src/profiles/tree-words.ts",
];

/** A part that is put into a sentence at run time, as it stands in the source. */
const INSERT = /\$\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g;

/**
 * @typedef {object} Sentence
 * @property {string} text as in the source, with `${...}` for what is put in
 * @property {string} place file and line
 */

/**
 * Returns the texts of the sources that a person may read: those of two words and more.
 * @returns {Sentence[]}
 */
export function sentences() {
  return filesOf(SOURCES).flatMap((file) => sentencesOf(file, readFileSync(path.join(ROOT, file), "utf8")));
}

/**
 * @param {string} file
 * @param {string} source
 * @returns {Sentence[]}
 */
export function sentencesOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  /** @type {Sentence[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const text = textOf(node);
    if (text !== undefined && isSentence(text)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push({ text, place: `${file}:${line + 1}` });
    }
    // A sentence may be put into another one. The parts of a sum are not looked at again.
    if (text === undefined) ts.forEachChild(node, visit);
    else visitInserts(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * Returns the words of a sentence that are always the same.
 * @param {string} text
 */
export function fixedWords(text) {
  return text.replaceAll(INSERT, "…");
}

/** @param {string[]} folders */
function filesOf(folders) {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.posix.join(folder, name))
      .filter((file) => file.endsWith(".ts") && !EXCLUDED.some((each) => file.startsWith(each))),
  );
}

/** @param {string} text */
function isSentence(text) {
  const fixed = fixedWords(text);
  const isCode = /=>|;\n|^import /.test(fixed);
  return /\w[^\w]* [^\s]/.test(fixed) && !isCode;
}

/**
 * Returns the text of a string, a template or a sum of them; undefined for anything else.
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => `\${${span.expression.getText()}}${span.literal.text}`);
    return node.head.text + parts.join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    if (left !== undefined && right !== undefined) return left + right;
  }
  return undefined;
}

/**
 * @param {ts.Node} node
 * @param {(node: ts.Node) => void} visit
 */
function visitInserts(node, visit) {
  if (ts.isTemplateExpression(node)) for (const { expression } of node.templateSpans) visit(expression);
  if (!ts.isBinaryExpression(node)) return;
  visitInserts(node.left, visit);
  visitInserts(node.right, visit);
}
