import { DEFAULT_CONVERGENCE } from "@paceline/netcode";
import { blends } from "../blends.js";
import type { LinkKind } from "../networks.js";
import type { LabSystem } from "../system.js";
import type { CarModel } from "./car-states.js";
import { adaptiveInterpolationSystem } from "./interpolated.js";
import { pacelineSystem, type PacelineSettings } from "./paceline.js";
import { orderedPatchesSystem } from "./patches.js";
import { extrapolationSystem, interpolationSystem } from "./snapshots.js";

const DEFAULTS: PacelineSettings = {
  name: "paceline",
  model: "turn",
  positionThresholdM: 0.12,
  headingThresholdRad: 0.2,
  convergence: DEFAULT_CONVERGENCE,
  looksAhead: true,
  repeats: true,
};

/** Returns the systems that every cell of the measurement plays. */
export function mainSystems(): LabSystem[] {
  return [
    pacelineSystem(DEFAULTS),
    adaptiveInterpolationSystem("paceline-interpolation-20hz", 20),
    interpolationSystem("interpolation-100ms-20hz", 20, 100),
    extrapolationSystem("extrapolation-20hz", 20),
    orderedPatchesSystem("ordered-patches-20hz", 20),
  ];
}

/** Returns Paceline with one part changed at a time: the model, the blend, and other settings. */
export function variants(): LabSystem[] {
  const models: CarModel[] = ["velocity", "acceleration", "history"];
  const changed = (name: string, change: Partial<PacelineSettings>): LabSystem =>
    pacelineSystem({ ...DEFAULTS, ...change, name: `paceline-${name}` });
  return [
    pacelineSystem(DEFAULTS),
    ...models.map((model) => changed(`model-${model}`, { model })),
    ...Object.entries(blends).map(([name, blend]) => {
      // Two time constants of the exponential blend correspond to the time of the cubic one.
      const timeMs = DEFAULT_CONVERGENCE.timeMs * (name === "exponential" ? 2 : 1);
      return changed(`blend-${name}`, { convergence: { ...DEFAULT_CONVERGENCE, blend, timeMs } });
    }),
    changed("without-look-ahead", { looksAhead: false, positionThresholdM: 0.04 }),
    changed("limit-500ms", { extrapolationLimitMs: 500 }),
    changed("position-only", { headingThresholdRad: 9 }),
  ];
}

export interface Curve {
  readonly system: string;
  readonly link: LinkKind;
  readonly points: readonly LabSystem[];
}

/** Returns every system at several rates or thresholds: the curves of the plot. */
export function curves(): Curve[] {
  const rates = [5, 10, 20, 30, 60];
  return [
    {
      system: "paceline",
      link: "unreliable",
      points: [0.03, 0.06, 0.12, 0.25, 0.5].map((positionThresholdM) =>
        pacelineSystem({
          ...DEFAULTS,
          positionThresholdM,
          headingThresholdRad: positionThresholdM / 0.6,
          name: `paceline-${positionThresholdM}m`,
        }),
      ),
    },
    {
      system: "extrapolation",
      link: "unreliable",
      points: rates.map((hz) => extrapolationSystem(`extrapolation-${hz}hz`, hz)),
    },
    {
      system: "interpolation 100 ms",
      link: "unreliable",
      points: rates.map((hz) => interpolationSystem(`interpolation-100ms-${hz}hz`, hz, 100)),
    },
    {
      system: "patches, ordered",
      link: "ordered",
      points: rates.map((hz) => orderedPatchesSystem(`ordered-patches-${hz}hz`, hz)),
    },
  ];
}
