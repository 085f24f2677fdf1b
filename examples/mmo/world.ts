// Shared by the server and the players.
import { defineEntity, vec2, type Directed } from "@paceline/client";

export const SIZE_M = 1000;
const position = vec2({ range: [0, SIZE_M], precision: 0.05, unit: "m" });

export const Character = defineEntity("character", { position }, { motion: "velocity" });
// It walks straight on for many seconds, which costs nothing: everybody continues it.
export const Creature = defineEntity("creature", { position }, { motion: "velocity" });

export interface Messages {
  walk: Directed<{ x: number; y: number }>;
  say: Directed<{ text: string }, { from: number; text: string }>;
}
