import type { Measured, Plan } from "@paceline/transport";
import type { Explanation } from "../paths/choice.js";
import { number } from "./in-words.js";
import type { StripeWish } from "../connection/stripes.js";

/** The rates that have changed between two plans, in words; empty where none has. */
export function changedNumbers(before: Plan, after: Plan): string {
  const names = Object.keys(after.numbers) as (keyof Plan["numbers"])[];
  const changes = names.flatMap((name) => {
    const [from, to] = [before.numbers[name], after.numbers[name]];
    return from === to ? [] : [`${name} ${number(from)} → ${number(to)}`];
  });
  if (before.stripes !== after.stripes) changes.push(`stripes ${before.stripes} → ${after.stripes}`);
  return changes.join(", ");
}

/** Over how many sockets the plan wants states to go, and why. */
export function stripeWishOf({ stripes, inputs }: Plan, measured: Measured | undefined): StripeWish {
  const percent = Math.round((measured?.stallRatio ?? 0) * 100);
  const stalls = `${percent} % of the round trips stall behind lost segments (${inputs.stalls})`;
  const reason = stripes > 1 ? `${stalls}: states alternate` : "no stalls";
  return { sockets: stripes, reason };
}

/** Over how many sockets states go now, as a row of the history. */
export function socketsRow(sockets: number, reason: string): Explanation {
  return { about: "server sockets", choice: String(sockets), reason };
}
