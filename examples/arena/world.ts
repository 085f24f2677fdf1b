// Shared by the server and the players: the kinds of things, the inputs, and how cells move in one tick.
import { defineEntity, defineInput, flag, scalar, uint, vec2, type Directed } from "@paceline/client";

export const SIZE_M = 600;
const position = vec2({ range: [0, SIZE_M], precision: 0.05, unit: "m" });
const mass = uint({ range: [1, 50_000] });
const color = uint({ range: [0, 5] });
const direction = scalar({ range: [-1, 1], precision: 0.02 });

/** A player has up to 16 of them. Those that may grow together again are `ripe`. */
export const Cell = defineEntity(
  "cell",
  { position, mass, ripe: flag() },
  { motion: "velocity", show: "extrapolate" },
);
export const Food = defineEntity("food", { position, color });
/** It bursts a cell that is heavier than it is. */
export const Virus = defineEntity("virus", { position });
/** Where the pointer is, seen from the middle of the screen. */
export const Steer = defineInput({ x: direction, y: direction });

export interface Messages {
  split: Directed<Record<string, never>>;
  say: Directed<{ text: string }, string>;
  leaders: { name: string; mass: number }[];
}

export type Point = { x: number; y: number };
type Body = { readonly position: Point; readonly mass: number; readonly ripe: boolean };

/** Twice the mass has twice the area. */
export const radiusOf = (mass: number): number => 0.8 * Math.sqrt(mass);
const inside = (value: number): number => Math.min(SIZE_M, Math.max(0, value));

/** Moves all cells of one player. Server and page run the same: otherwise the server would correct every step. */
export function moveCells(cells: readonly Body[], { x, y }: Readonly<Point>, seconds: number): void {
  for (const { position, mass } of cells) {
    const stepM = (60 * seconds) / mass ** 0.3 / Math.max(1, Math.hypot(x, y));
    position.x = inside(position.x + x * stepM);
    position.y = inside(position.y + y * stepM);
  }
  for (const [index, one] of cells.entries())
    for (const other of cells.slice(index + 1)) if (!one.ripe || !other.ripe) pushApart(one, other);
}

/** Two cells of one player do not overlap: each gives way by half. */
function pushApart({ position: one, mass }: Body, { position: other, mass: otherMass }: Body): void {
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  const distanceM = Math.hypot(dx, dy) || 1;
  const part = Math.max(0, (radiusOf(mass) + radiusOf(otherMass)) / distanceM - 1) / 2;
  [one.x, one.y] = [inside(one.x - dx * part), inside(one.y - dy * part)];
  [other.x, other.y] = [inside(other.x + dx * part), inside(other.y + dy * part)];
}
