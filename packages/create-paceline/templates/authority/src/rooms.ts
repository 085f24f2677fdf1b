// Runs in the server: it decides where everybody is, and who gets the coin.
import { Room, type Player, type ServerEntity } from "@paceline/server";
import { Coin, Dot, HEIGHT, Move, WIDTH, step } from "./world.js";

const REACH = 24;

class Arena extends Room {
  override readonly entities = [Dot, Coin];
  override readonly inputs = Move;
  readonly dots = new Map<Player<typeof Move>, ServerEntity<typeof Dot>>();
  coin!: ServerEntity<typeof Coin>;

  override onCreate(): void {
    this.coin = this.spawn(Coin, { position: anywhere() });
  }

  override onJoin(player: Player<typeof Move>): void {
    const hue = (player.number * 137) % 360;
    this.dots.set(player, this.spawn(Dot, { position: anywhere(), hue }, player));
  }

  override onLeave(player: Player<typeof Move>): void {
    this.dots.delete(player);
  }

  override onTick(seconds: number): void {
    for (const [player, dot] of this.dots) {
      step(dot, player.input, seconds);
      const { x, y } = this.coin.position;
      if (Math.hypot(dot.position.x - x, dot.position.y - y) > REACH) continue;
      dot.score += 1;
      const next = anywhere();
      this.coin.position.set(next.x, next.y);
    }
  }
}

function anywhere(): { x: number; y: number } {
  return { x: 50 + Math.random() * (WIDTH - 100), y: 50 + Math.random() * (HEIGHT - 100) };
}

export const rooms = { arena: Arena };
