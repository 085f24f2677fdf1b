interface Spark {
  x: number;
  y: number;
  readonly velocityX: number;
  readonly velocityY: number;
  ageS: number;
}

const LIFE_S = 0.45;
const MAX_SPARKS = 90;
const GOLDEN_ANGLE = 2.399963;

/** Sparks of metal on metal, or on a wall. */
export class Sparks {
  #sparks: Spark[] = [];
  #turn = 0;

  /** Adds sparks: the harder the hit, the more. */
  burst(
    from: { readonly x: number; readonly y: number; readonly velocityX: number; readonly velocityY: number },
    impactMps: number,
  ): void {
    const count = Math.min(16, Math.ceil(impactMps * 1.5));
    for (let index = 0; index < count && this.#sparks.length < MAX_SPARKS; index++) {
      this.#turn += GOLDEN_ANGLE;
      const speed = 4 + (index % 5) * 2;
      this.#sparks.push({
        x: from.x + Math.cos(this.#turn) * 1.2,
        y: from.y + Math.sin(this.#turn) * 1.2,
        velocityX: from.velocityX * 0.6 + Math.cos(this.#turn) * speed,
        velocityY: from.velocityY * 0.6 + Math.sin(this.#turn) * speed,
        ageS: 0,
      });
    }
  }

  update(seconds: number): void {
    for (const spark of this.#sparks) {
      spark.ageS += seconds;
      spark.x += spark.velocityX * seconds;
      spark.y += spark.velocityY * seconds;
    }
    this.#sparks = this.#sparks.filter(({ ageS }) => ageS < LIFE_S);
  }

  draw(context: CanvasRenderingContext2D): void {
    context.lineWidth = 0.12;
    for (const { x, y, velocityX, velocityY, ageS } of this.#sparks) {
      const fade = 1 - ageS / LIFE_S;
      context.strokeStyle = `rgba(255, ${Math.round(150 + 90 * fade)}, 70, ${fade.toFixed(3)})`;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - velocityX * 0.035, y - velocityY * 0.035);
      context.stroke();
    }
  }
}
