// Draws the brawl with Phaser: a circle for each fighter, its size and colour by what the SDK shows.
import { Client, type Entity } from "@paceline/client";
import { AUTO, Game, Scale, Scene, type GameObjects, type Types } from "phaser";
import { ActionGame, Fighter, type Messages } from "./game.js";

const PIXELS_PER_M = 24;
const FULL_HP = 100;

const client = new Client<Messages>(location.origin, { profile: "action" });
const room = await client.joinOrCreate("brawl");
const brawl = new ActionGame(room);
const status = document.querySelector("#status")!;

class Arena extends Scene {
  readonly #circles = new Map<Entity<typeof Fighter>, GameObjects.Arc>();
  #keys!: Types.Input.Keyboard.CursorKeys;

  create(): void {
    this.#keys = this.input.keyboard!.createCursorKeys();
    this.#keys.space.on("down", () => brawl.punch());
    room.onSpawn(Fighter, (fighter) => {
      const circle = this.add.circle(0, 0, 0.6 * PIXELS_PER_M, fighter.isMine ? 0x6fc3ff : 0xff8a65);
      this.#circles.set(fighter, circle);
      fighter.onChange("hp", () =>
        this.tweens.add({ targets: circle, scale: 1.4, duration: 80, yoyo: true }),
      );
    });
    room.onDespawn(Fighter, (fighter) => {
      this.#circles.get(fighter)?.destroy();
      this.#circles.delete(fighter);
    });
  }

  override update(): void {
    const { left, right, up, down } = this.#keys;
    brawl.stick.x = Number(right.isDown) - Number(left.isDown);
    brawl.stick.y = Number(down.isDown) - Number(up.isDown);
    const { width, height } = this.scale;
    for (const [fighter, circle] of this.#circles) {
      const { x, y } = fighter.shown.position;
      circle.setPosition(width / 2 + x * PIXELS_PER_M, height / 2 + y * PIXELS_PER_M);
      circle.setAlpha(0.3 + (0.7 * fighter.hp) / FULL_HP);
    }
    status.textContent = `${this.#circles.size} players, hp ${brawl.me.hp}: arrows walk, space punches`;
  }
}

export const screen = new Game({
  type: AUTO,
  backgroundColor: "#2b2f3a",
  scale: { mode: Scale.RESIZE, width: "100%", height: "100%" },
  scene: Arena,
});
