/** Engine: two detuned saws and a square an octave below, through a low-pass that opens with the throttle. */
export class EngineSound {
  readonly #oscillators: readonly { readonly node: OscillatorNode; readonly ratio: number }[];
  readonly #filter: BiquadFilterNode;
  readonly #volume: GainNode;

  constructor(context: AudioContext, output: AudioNode) {
    this.#filter = new BiquadFilterNode(context, { type: "lowpass", frequency: 400, Q: 1.2 });
    this.#volume = new GainNode(context, { gain: 0 });
    this.#filter.connect(this.#volume).connect(output);
    const voice = (
      type: OscillatorType,
      ratio: number,
      gain: number,
    ): { node: OscillatorNode; ratio: number } => {
      const node = new OscillatorNode(context, { type, frequency: 60 * ratio });
      node.connect(new GainNode(context, { gain })).connect(this.#filter);
      node.start();
      return { node, ratio };
    };
    this.#oscillators = [
      voice("sawtooth", 1, 0.3),
      voice("sawtooth", 1.012, 0.22),
      voice("square", 0.5, 0.26),
    ];
  }

  update(nowS: number, rpmShare: number, load: number): void {
    const frequency = 46 + 150 * rpmShare;
    for (const { node, ratio } of this.#oscillators)
      node.frequency.setTargetAtTime(frequency * ratio, nowS, 0.03);
    this.#filter.frequency.setTargetAtTime(260 + 900 * rpmShare + 1300 * load, nowS, 0.05);
    this.#volume.gain.setTargetAtTime(0.1 + 0.1 * load + 0.05 * rpmShare, nowS, 0.05);
  }
}

const GEAR_TOP_MPS = [10, 17, 25, 33, 41, 52] as const;

/** Imitates a gearbox, which the car does not have. Returns the engine's speed as a share of its limit. */
export function rpmShareAt(speedMps: number): number {
  const speed = Math.abs(speedMps);
  let bottom = 0;
  for (const top of GEAR_TOP_MPS) {
    if (speed < top) {
      const start = bottom === 0 ? 0.12 : 0.45;
      return start + (1 - start) * ((speed - bottom) / (top - bottom));
    }
    bottom = top;
  }
  return 1;
}
