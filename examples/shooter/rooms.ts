// The server's side: it moves everybody, and judges shots in the world that the shooter saw.
import { RateCheck, Room, type Player, type Server } from "@paceline/server";
import { Move, Soldier, walk, type Messages } from "./world.js";

const [RADIUS, DAMAGE] = [0.5, 34] as const;

export class Arena extends Room<{ messages: Messages }> {
  override readonly entities = [Soldier];
  override readonly inputs = Move;
  override readonly maxRewindMs = 400;
  readonly #triggers = new WeakMap<Player, RateCheck>();

  override onCreate(): void {
    this.onMessage("shoot", (player, shot) => this.#shoot(player, shot));
    // Somebody who is alone has a target, until another player comes.
    this.addBot({ fill: 2, drive: (_bot, move, tick) => (move.x = tick % 60 < 30 ? 1 : -1) });
  }
  override onJoin(player: Player<typeof Move>): void {
    this.spawn(Soldier, { position: { x: player.number * 3, y: 0 } }, player);
    this.#triggers.set(player, new RateCheck(5, 2));
  }
  override onTick(seconds: number): void {
    for (const body of this.entitiesOf(Soldier))
      walk(body, (body.owner as Player<typeof Move>).input, seconds);
  }

  #shoot(player: Player, { at, x, y }: { at: number; x: number; y: number }): void {
    // A message is the player's word: a modified client would shoot in every tick.
    if (!this.#triggers.get(player)?.take(1, this.clock.elapsedMs / 1000)) return;
    const target = this.rewind(player, at, (past) =>
      [...this.entitiesOf(Soldier)].find((soldier) => {
        const then = soldier.owner === player ? undefined : past.of(soldier)?.position;
        return then && Math.hypot(then.x - x, then.y - y) < RADIUS;
      }),
    );
    if (!target) return;
    this.broadcast("hit", { by: player.number, target: target.id });
    if (target.hp > DAMAGE) target.hp -= DAMAGE;
    else {
      for (const soldier of this.entitiesOf(Soldier)) soldier.kills += Number(soldier.owner === player);
      target.hp = 100;
      target.position.set(0, 0);
      target.teleport();
    }
  }
}

export const rooms = { arena: Arena };
/** For `new Client<GameServer>(...)`. */
export type GameServer = Server<typeof rooms>;
