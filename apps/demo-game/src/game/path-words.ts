/** The sentences about paths and the server. Each one states only what the page has measured or been told. */
import type { ToastText } from "../ui/toasts.js";
import type { FailOver, RivalPath, ShownSteps } from "./fail-over.js";

/** Step of a shown car that the eye hardly sees, m. Larger ones are no good news. */
const SMALL_STEP_M = 0.3;

const NAMES: Readonly<Record<RivalPath, string>> = {
  direct: "direct path",
  turn: "path through TURN",
  relay: "relay",
};

type Tone = ToastText["tone"];

export function failOverToast({ rival, lost, took, tookMs, steps, back }: FailOver): ToastText {
  const inTime = tookMs === undefined ? "" : ` in ${Math.round(tookMs)} ms`;
  const step = steps === undefined ? "Measuring what you saw of it…" : stepsInWords(steps);
  const again = back ? ` The ${NAMES[back.path]} was back after ${(back.afterMs / 1000).toFixed(1)} s.` : "";
  return {
    key: `path-${rival.id}`,
    title: `${rival.name}: ${NAMES[lost]} died${back ? " and is back" : ""}`,
    text: `The ${NAMES[took]} took over${inTime}. ${step}${again}`,
    tone: back ? toneOf(steps) : "lost",
    isComputer: rival.isComputer,
  };
}

/** @param whose names several cars; empty for the one car that the message is about */
export function stepsInWords({ largestM, usualM, wasSeen }: ShownSteps, whose = ""): string {
  if (largestM === undefined) return "No step was measured: too few frames showed a car.";
  const where = wasSeen ? "that you saw" : "outside your picture";
  const before = usualM === undefined ? "" : `; ${metres(usualM)} in the 2 s before`;
  return `Largest step${whose} ${where}: ${metres(largestM)}${before}.`;
}

/** Returns "good" only if a small step was measured. */
export function toneOf(steps: ShownSteps | undefined): Tone {
  if (steps?.largestM === undefined) return "plain";
  return steps.largestM <= SMALL_STEP_M ? "good" : "lost";
}

/** Returns a sentence on the race among players whose server is gone. `waiting`: cars without a direct path. */
export function goneInWords(direct: number, waiting: number): string {
  const goOn = direct === 1 ? "1 direct path goes on" : `${direct} direct paths go on`;
  const wait = waiting === 1 ? "1 car waits for it" : `${waiting} cars wait for it`;
  if (direct === 0) return waiting === 0 ? "No other car is on the track." : `${capital(wait)}.`;
  return waiting === 0 ? `${goOn}.` : `${goOn}; ${wait}.`;
}

/**
 * Returns a sentence on the server's return. A session that is not resumed says nothing of a restart: the server may have
 * given the place up.
 */
export function backInWords(resumed: boolean): string {
  return resumed ? "The same race goes on." : "It had given up your place, and you joined again.";
}

/** Why no direct path can be killed. `peers`: number of the other participants. */
export function noPathInWords(peers: number): string {
  return peers === 0
    ? "Nobody else is in this race."
    : "All that goes to the others goes through the relay now.";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function metres(value: number): string {
  return `${value.toFixed(2)} m`;
}
