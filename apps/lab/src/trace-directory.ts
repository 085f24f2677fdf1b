import { existsSync } from "node:fs";
import path from "node:path";

/**
 * Returns the folder of the recorded traces: the option's, or else the one beside the project if it exists.
 */
export function traceDirectory(given = process.env.PACELINE_DATA): string | undefined {
  const beside = path.resolve("../shared/data");
  return given ?? (existsSync(beside) ? beside : undefined);
}
