type Cell = string | number | undefined;

/** Returns a text table with columns as wide as their cells, and numbers with few digits. */
export function table(
  rows: readonly Readonly<Record<string, string | number>>[],
  keys: readonly string[],
): string {
  const used = keys.filter((key) => rows.some((row) => row[key] !== undefined));
  const lines = [used, ...rows.map((row) => used.map((key) => printed(row[key])))];
  const widths = used.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function printed(cell: Cell): string {
  if (cell === undefined) return "-";
  if (typeof cell === "string") return cell;
  if (Number.isInteger(cell)) return String(cell);
  return cell < 1 ? cell.toPrecision(2) : cell.toFixed(1);
}
