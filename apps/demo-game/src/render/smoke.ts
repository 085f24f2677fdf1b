interface Puff {
  x: number;
  y: number;
  driftX: number;
  driftY: number;
  ageS: number;
  lifeS: number;
  sizeM: number;
  color: string;
}

const MAX_PUFFS = 140;

/** Tyre smoke and dust. */
export class Smoke {
  readonly #puffs: Puff[] = [];
  #turn = 0;

  emit(x: number, y: number, color: "smoke" | "dust"): void {
    if (this.#puffs.length >= MAX_PUFFS) this.#puffs.shift();
    // Steps of the golden angle scatter the puffs without randomness.
    this.#turn += 2.399963;
    this.#puffs.push({
      x: x + Math.cos(this.#turn) * 0.25,
      y: y + Math.sin(this.#turn) * 0.25,
      driftX: Math.cos(this.#turn * 1.7) * 0.9,
      driftY: Math.sin(this.#turn * 1.7) * 0.9,
      ageS: 0,
      lifeS: color === "smoke" ? 0.75 : 0.55,
      sizeM: 0.5,
      color: color === "smoke" ? "235, 238, 242" : "176, 148, 96",
    });
  }

  update(seconds: number): void {
    for (let i = this.#puffs.length - 1; i >= 0; i--) {
      const puff = this.#puffs[i] as Puff;
      puff.ageS += seconds;
      if (puff.ageS >= puff.lifeS) {
        this.#puffs.splice(i, 1);
        continue;
      }
      puff.x += puff.driftX * seconds;
      puff.y += puff.driftY * seconds;
      puff.sizeM += seconds * 2.4;
    }
  }

  draw(context: CanvasRenderingContext2D): void {
    for (const puff of this.#puffs) {
      const fade = 1 - puff.ageS / puff.lifeS;
      context.fillStyle = `rgba(${puff.color}, ${(0.34 * fade).toFixed(3)})`;
      context.beginPath();
      context.arc(puff.x, puff.y, puff.sizeM, 0, Math.PI * 2);
      context.fill();
    }
  }
}
