/** docs/ERRORS.md: the error codes of games, read from the files that define them. */
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** Messages about a game's mistakes, written by a test that makes each mistake. */
const MISTAKES = path.resolve(import.meta.dirname, "../../packages/server/test/mistakes.json");
const SOURCES = path.resolve(import.meta.dirname, "../../packages/protocol/src");

/** @param {ts.SourceFile} tree @param {string} name @returns {ts.ObjectLiteralExpression} */
function constObject(tree, name) {
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: declared, initializer } of statement.declarationList.declarations) {
      const isNamed = ts.isIdentifier(declared) && declared.text === name;
      if (isNamed && initializer && ts.isAsExpression(initializer)) {
        return /** @type {ts.ObjectLiteralExpression} */ (initializer.expression);
      }
    }
  }
  throw new Error(`${tree.fileName} has no const object ${name}`);
}

/** @param {ts.Node} node @returns {string} its doc comment as one line */
function commentOf(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter((doc) => ts.isJSDoc(doc));
  const text = docs.map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? "").join(" ");
  return text.replaceAll(/\s+/g, " ").trim();
}

/** @param {string} file @param {string} name @returns {{ key: string, value: string, comment: string }[]} */
function entriesOf(file, name) {
  const source = readFileSync(path.join(SOURCES, file), "utf8");
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
  return constObject(tree, name)
    .properties.filter((property) => ts.isPropertyAssignment(property))
    .map((property) => ({
      key: /** @type {ts.Identifier | ts.StringLiteral} */ (property.name).text,
      value: ts.isStringLiteralLike(property.initializer)
        ? property.initializer.text
        : property.initializer.getText(),
      comment: commentOf(property),
    }));
}

/** @param {string[]} head @param {string[][]} rows @returns {string} */
function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  /** @param {string[]} row */
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = all;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}

/** @returns {string[][]} */
function mistakes() {
  /** @type {{ mistake: string, shows: string, says: string }[]} */
  const made = JSON.parse(readFileSync(MISTAKES, "utf8"));
  return made.map(({ mistake, shows, says }) => [mistake, shows, `\`${says}\``]);
}

/** @returns {string} the whole document */
export function errorsMarkdown() {
  const errors = entriesOf("errors/error-codes.ts", "errorCodes").map(({ key, value }) => [
    `\`${key}\``,
    value,
  ]);
  const closes = entriesOf("wire/close-codes.ts", "CloseCode").map(({ key, value, comment }) => [
    value,
    `\`${key}\``,
    comment,
  ]);
  return `<!-- Written by \`pnpm docs\` from error-codes.ts and close-codes.ts in packages/protocol/src and from packages/server/test/mistakes.json: change those files. -->

# Errors

A mistake in a call (a field out of range, an unknown profile, an impossible option) throws a \`ConfigError\` at once.
It names the field, the value that was given, what is allowed, and the unit.

What the network or a server does reaches a game as a \`NetError\`, usually in a rejected promise.
Its \`code\` is one of these and never changes its meaning:

${table(["code", "meaning"], errors)}

A \`NetError\` that ends nothing goes to \`room.onError\`; without a listener the first one of each code goes to the console
of the page. What a listener of the game throws, or rejects with, is reported with its stack, at most once a second.

## The most likely mistakes

What a game reads when it makes them. A test makes each of them at real servers, and this table is what it has read.

${table(["mistake", "where it shows", "what it says"], mistakes())}

## Close codes

Why a link or a session ended. These are WebSocket close codes of the private range; \`onLeave\` receives the number.

${table(["number", "name", "meaning"], closes)}
`;
}
