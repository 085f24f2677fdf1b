// Shared by the server and the heroes.
import { defineEntity, flag, uint, vec2, type Directed } from "@paceline/client";

export const CHESTS = 6;
export const TORCH_M = 12;
const position = vec2({ range: [0, 100], precision: 0.01, unit: "m" });

export const Hero = defineEntity(
  "hero",
  { position, gold: uint({ range: [0, 9999] }) },
  { motion: "velocity" },
);
export const Chest = defineEntity("chest", { position, isOpen: flag() });

export interface Messages {
  walk: Directed<{ x: number; y: number }>;
  say: Directed<{ text: string }, { from: number; text: string }>;
}
/** Asks for a chest by its id. The answer is true for the hero who was the first. */
export type Requests = { open: { ask: number; answer: boolean } };
