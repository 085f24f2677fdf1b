import { EngineSound, rpmShareAt } from "./engine-sound.js";

export interface SoundState {
  readonly speedMps: number;
  readonly throttle: number;
  /** 0 to 1. */
  readonly slide: number;
  /** Number of wheels on grass or gravel, and on kerbs: 0 to 4. */
  readonly wheelsOff: number;
  readonly wheelsOnKerb: number;
  readonly impactMps: number;
}

/** All sounds of the race, synthesised. Silent until `toggle` switches them on. */
export class RaceSound {
  #context: AudioContext | undefined;
  #engine: EngineSound | undefined;
  #skid: GainNode | undefined;
  #rumble: GainNode | undefined;
  #master: GainNode | undefined;
  #thudAtS = 0;
  isOn = false;

  /** Call it from a key press or a click: browsers allow sound only then. */
  toggle(): void {
    this.isOn = !this.isOn;
    if (this.isOn) this.#start();
    const { currentTime = 0 } = this.#context ?? {};
    this.#master?.gain.setTargetAtTime(this.isOn ? 0.55 : 0, currentTime, 0.05);
  }

  update(state: SoundState): void {
    const context = this.#context;
    if (context === undefined || !this.isOn) return;
    const now = context.currentTime;
    this.#engine?.update(now, rpmShareAt(state.speedMps), Math.max(0, state.throttle));
    this.#skid?.gain.setTargetAtTime(state.wheelsOff > 2 ? 0 : 0.3 * state.slide ** 1.3, now, 0.04);
    const moving = Math.min(1, Math.abs(state.speedMps) / 15);
    const rough = Math.min(1, state.wheelsOff / 3 + state.wheelsOnKerb / 3);
    this.#rumble?.gain.setTargetAtTime(0.5 * rough * moving, now, 0.04);
    if (state.impactMps > 1.5) this.#thud(Math.min(1, state.impactMps / 12));
  }

  /** Plays a tone of the start lights: low for a red lamp, high for green. */
  beep(frequencyHz: number, seconds: number): void {
    if (this.#context === undefined || this.#master === undefined || !this.isOn) return;
    const now = this.#context.currentTime;
    const tone = new OscillatorNode(this.#context, { type: "triangle", frequency: frequencyHz });
    const volume = new GainNode(this.#context, { gain: 0.35 });
    volume.gain.setTargetAtTime(0, now + seconds * 0.6, seconds * 0.2);
    tone.connect(volume).connect(this.#master);
    tone.start(now);
    tone.stop(now + seconds * 2);
  }

  #start(): void {
    if (this.#context !== undefined) {
      void this.#context.resume();
      return;
    }
    if (typeof AudioContext === "undefined") return;
    const context = new AudioContext();
    const master = new GainNode(context, { gain: 0 });
    master.connect(new DynamicsCompressorNode(context)).connect(context.destination);
    this.#context = context;
    this.#master = master;
    this.#engine = new EngineSound(context, master);
    const noise = noiseBuffer(context);
    this.#skid = noiseVoice(context, master, noise, { type: "bandpass", frequency: 1150, Q: 5 });
    this.#rumble = noiseVoice(context, master, noise, { type: "lowpass", frequency: 130, Q: 1 });
  }

  #thud(strength: number): void {
    if (this.#context === undefined || this.#master === undefined) return;
    const now = this.#context.currentTime;
    // Cars that lean on each other touch in every step: that is one thud.
    if (now - this.#thudAtS < 0.15) return;
    this.#thudAtS = now;
    const tone = new OscillatorNode(this.#context, { type: "sine", frequency: 110 });
    const volume = new GainNode(this.#context, { gain: 0.6 * strength });
    tone.frequency.setTargetAtTime(38, now, 0.05);
    volume.gain.setTargetAtTime(0, now + 0.03, 0.06);
    tone.connect(volume).connect(this.#master);
    tone.start(now);
    tone.stop(now + 0.5);
  }
}

function noiseBuffer(context: AudioContext): AudioBuffer {
  const buffer = new AudioBuffer({ length: context.sampleRate * 2, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}

function noiseVoice(
  context: AudioContext,
  output: AudioNode,
  buffer: AudioBuffer,
  filter: BiquadFilterOptions,
): GainNode {
  const source = new AudioBufferSourceNode(context, { buffer, loop: true });
  const volume = new GainNode(context, { gain: 0 });
  source.connect(new BiquadFilterNode(context, filter)).connect(volume).connect(output);
  source.start();
  return volume;
}
