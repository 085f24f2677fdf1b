export interface Interleaving<Turn, Run> {
  readonly turns: readonly Turn[];
  readonly rounds: number;
  keyOf(turn: Turn): string;
  /** Runs a turn on a port of its own. */
  run(turn: Turn, port: number): Promise<Run>;
  inWords(turn: Turn, run: Run): string;
}

const FIRST_PORT = 21_000;
const PORTS = 8000;

/**
 * Plays the turns round by round, every second round backwards, so that the machine's other load affects all
 * turns alike.
 * Returns the runs by key. Prints the error of a failed run, and leaves its figures out.
 */
export async function interleaved<Turn, Run>(plan: Interleaving<Turn, Run>): Promise<Map<string, Run[]>> {
  const runs = new Map<string, Run[]>();
  let port = FIRST_PORT + Math.floor(Math.random() * PORTS);
  for (let round = 0; round < plan.rounds; round++) {
    for (const turn of round % 2 === 0 ? plan.turns : plan.turns.toReversed()) {
      const key = plan.keyOf(turn);
      try {
        const run = await plan.run(turn, port++);
        runs.set(key, [...(runs.get(key) ?? []), run]);
        console.error(`${key}: ${plan.inWords(turn, run)}`);
      } catch (error) {
        console.error(`${key}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return runs;
}
