import type { MatrixCase, Trouble } from "./cases.js";
import { joinTimes, type JoinTimes } from "./join-times.js";
import { haveMet, isSettled, livePairs, rowOf, type MatrixRow, type Told } from "./outcome.js";
import type { ConnectionStep, ProbeReport } from "./probe-report.js";
import { pause, Scene } from "./scene.js";

const MESSAGES_PER_SECOND = 30;
const BETWEEN_JOINS_MS = 700;
const MEET_LIMIT_MS = 15_000;
const BEST_PATH_LIMIT_MS = 8000;
/** Undisturbed time, ms. It is measured half before the trouble and half after. */
const STEADY_MS = 4000;
/** Time in which all participants must be back after trouble. */
const BACK_LIMIT_MS = 40_000;
const SETTLE_LIMIT_MS = 15_000;
const MIGRATION_LIMIT_MS = 5000;

export interface Played {
  readonly row: MatrixRow;
  readonly reports: readonly ProbeReport[];
  readonly steps: readonly (readonly (readonly ConnectionStep[])[])[];
}

/** Plays one case and returns its row and the participants' reports. */
export async function runCase(matrixCase: MatrixCase, joinCount: number): Promise<Played> {
  const scene = await Scene.open(matrixCase);
  try {
    const joins = await enter(scene, matrixCase, joinCount);
    const met = await scene.reports();
    const steps = await scene.connectionSteps();
    await pause(STEADY_MS / 2);
    await scene.callAll("mark");
    await pause(STEADY_MS / 2);
    if (matrixCase.trouble) await endure(scene, matrixCase.trouble);
    if (matrixCase.best === "direct" && matrixCase.trouble?.kind !== "udp-dies") {
      await scene.until(areDirect, BEST_PATH_LIMIT_MS);
    }
    const told = { joins, met, ...(await end(scene)) };
    return { row: rowOf(matrixCase, told), reports: told.end, steps };
  } finally {
    await scene.close();
  }
}

/** Lets the first participant stay, and the others join several times. They stay after the last join. */
async function enter(
  scene: Scene,
  { messagesPerSecond, best }: MatrixCase,
  joinCount: number,
): Promise<JoinTimes[]> {
  const options = { room: "case", messagesPerSecond: messagesPerSecond ?? MESSAGES_PER_SECOND };
  const [first, ...others] = scene.browsers.keys();
  await scene.call(first!, "join", options);
  const joins: JoinTimes[] = [];
  for (let join = 1; join <= joinCount; join++) {
    for (const index of others) {
      await pause(BETWEEN_JOINS_MS);
      await scene.call(index, "join", options);
    }
    await scene.until(haveMet, MEET_LIMIT_MS);
    if (best === "direct") await scene.until(areDirect, BEST_PATH_LIMIT_MS);
    joins.push(joinTimes((await scene.reports()).slice(1)));
    if (join < joinCount) for (const index of others) await scene.call(index, "leave");
  }
  return joins;
}

async function endure(scene: Scene, trouble: Trouble): Promise<void> {
  const { wire } = scene.hosts[0]!;
  switch (trouble.kind) {
    case "cut":
      await wire.set({ isCut: true });
      await pause(trouble.forMs);
      await wire.set({ isCut: false });
      break;
    case "udp-dies":
      await wire.set({ isUdpCut: true });
      await pause(STEADY_MS);
      break;
    case "server-restart":
      await scene.relay.kill();
      await pause(trouble.downMs);
      await scene.relay.restart();
      break;
    case "hidden":
      await scene.browsers[0]!.hide();
      await pause(trouble.forMs);
      await scene.browsers[0]!.show();
      break;
    case "migrations":
      return migrate(scene, trouble.count);
  }
  await scene.until(
    (reports) => reports.every(({ state }) => state === "joined") && haveMet(reports),
    BACK_LIMIT_MS,
  );
  await pause(STEADY_MS);
}

async function migrate(scene: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += 2) {
    await scene.call(0, "allowDirect", false);
    await scene.until((reports) => !reports.some((report) => areDirect([report])), MIGRATION_LIMIT_MS);
    await scene.call(0, "allowDirect", true);
    await scene.until(areDirect, MIGRATION_LIMIT_MS);
  }
}

function areDirect(reports: readonly ProbeReport[]): boolean {
  const pairs = livePairs(reports);
  return pairs.length > 0 && pairs.every(({ path }) => path !== "relay");
}

/** Reads the gaps before talking stops: later requests take time, which would count as a gap. */
async function end(scene: Scene): Promise<Pick<Told, "end" | "candidates" | "longestGapMs">> {
  const before = await scene.reports();
  const candidates = await scene.candidates();
  await scene.callAll("stopTalking");
  await scene.until(isSettled, SETTLE_LIMIT_MS);
  const longestGapMs = Math.max(...before.map((report) => report.longestGapMs));
  return { end: await scene.reports(), candidates, longestGapMs };
}
