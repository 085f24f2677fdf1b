import type { Plan } from "@paceline/transport";
import type { Explanation } from "../paths/transport-change.js";
import type { StripeWish } from "../connection/stripes.js";

/** Lists the rates that differ between two plans; empty if none does. */
export function changedNumbers(before: Plan, after: Plan): string {
  const names = Object.keys(after.numbers) as (keyof Plan["numbers"])[];
  const changes = names.flatMap((name) => {
    const [from, to] = [before.numbers[name], after.numbers[name]];
    return from === to ? [] : [`${name} ${number(from)} → ${number(to)}`];
  });
  return changes.join(", ");
}

/** Returns the number of sockets that the plan wants for states, with the reason. */
export function stripeWishOf({ stripes, inputs }: Plan): Omit<StripeWish, "isUsed"> {
  const stalls = `round trips stalled behind lost segments (${inputs.stalls})`;
  const reason = stripes > 1 ? `${stalls}: states alternate` : "no stalls";
  return { sockets: stripes, reason };
}

/** Returns a row of the history with the present number of sockets for states. */
export function socketsRow(sockets: number, reason: string): Explanation {
  return { about: "server sockets", choice: String(sockets), reason };
}

/** Returns the number with at most three decimal places. */
export function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
