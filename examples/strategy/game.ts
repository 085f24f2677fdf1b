// A small strategy game: players send their units about a field and take villages. Only orders travel; every machine
// simulates the same, in whole numbers, so that no browser rounds differently.
import type { Room } from "@paceline/client";
import { LockstepSession, StateHash, type PlayerCommand } from "@paceline/client/lockstep";

/** In hundredths of a field. */
const FIELD = 100;
const SIZE = 16 * FIELD;
const SPEED = 8;

/** "This unit of mine goes there." */
export interface Order {
  readonly unit: number;
  readonly x: number;
  readonly y: number;
}

interface Unit {
  readonly owner: number;
  x: number;
  y: number;
  goal: { readonly x: number; readonly y: number };
}

export class StrategyGame {
  readonly units: Unit[] = [];
  readonly villages: { readonly x: number; readonly y: number; owner: number }[] = [];
  readonly match: LockstepSession<Order>;

  constructor(room: Room, players: number) {
    this.match = new LockstepSession<Order>(room, {
      players,
      readCommand,
      onStart: (start) => this.setUp(start.players, start.seed),
      step: (orders) => this.step(orders),
      hash: () => this.hash(),
      onDesync: ({ turn, peer }) => console.error(`player ${peer} has another world after turn ${turn}`),
    });
  }

  setUp(players: readonly number[], seed: number): void {
    let chance = seed;
    // A generator of chance that all have: Numerical Recipes' linear congruential one, whose low bits are poor.
    const place = (): number => ((chance = (Math.imul(chance, 1664525) + 1013904223) >>> 0) >>> 8) % SIZE;
    for (let index = 0; index < 6; index++) this.villages.push({ x: place(), y: place(), owner: 0 });
    for (const owner of players) {
      const camp = { x: place(), y: place() };
      for (let index = 0; index < 3; index++) this.units.push({ owner, ...camp, goal: camp });
    }
  }

  /** One tick, the same on every machine. */
  step(orders: readonly PlayerCommand<Order>[]): void {
    for (const { player, command } of orders) {
      const unit = this.units[command.unit];
      if (unit?.owner === player) unit.goal = command;
    }
    for (const unit of this.units) {
      unit.x += Math.max(-SPEED, Math.min(SPEED, unit.goal.x - unit.x));
      unit.y += Math.max(-SPEED, Math.min(SPEED, unit.goal.y - unit.y));
      for (const village of this.villages) {
        const distance = Math.max(Math.abs(village.x - unit.x), Math.abs(village.y - unit.y));
        if (distance < FIELD) village.owner = unit.owner;
      }
    }
  }

  hash(): number {
    const hash = new StateHash();
    for (const { x, y, goal } of this.units) hash.numbers([x, y, goal.x, goal.y]);
    return hash.numbers(this.villages.map(({ owner }) => owner)).digest();
  }
}

function readCommand(value: unknown): Order | undefined {
  const { unit, x, y } = (value ?? {}) as Order;
  const isOrder = [unit, x, y].every((number) => Number.isInteger(number) && number >= 0 && number < SIZE);
  return isOrder ? { unit, x, y } : undefined;
}
