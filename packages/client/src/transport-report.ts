import type { HeldBands, Measured, Plan } from "@paceline/transport";
import type { Peer } from "./peer.js";
import type { Explanation } from "./room-transport.js";
import type { StripeWish } from "./stripes.js";

/** The rates that have changed between two plans, in words; empty where none has. */
export function changedNumbers(before: Plan, after: Plan): string {
  const names = Object.keys(after.numbers) as (keyof Plan["numbers"])[];
  const changes = names.flatMap((name) => {
    const [from, to] = [before.numbers[name], after.numbers[name]];
    return from === to ? [] : [`${name} ${inWords(from)} → ${inWords(to)}`];
  });
  if (before.stripes !== after.stripes) changes.push(`stripes ${before.stripes} → ${after.stripes}`);
  return changes.join(", ");
}

function inWords(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** What was measured and how it counts, as a row of an explanation. */
export function measuredRow(measured: Measured | undefined, held: HeldBands): Explanation {
  const about = "measured now";
  if (!measured) return { about, choice: "nothing yet", reason: "no ping was answered yet" };
  const { lossRatio, rttMs, jitterMs, queuedBytes = 0, stallRatio = 0, uploadRatio = 0 } = measured;
  const choice =
    `loss ${(lossRatio * 100).toFixed(1)} % (${held.loss}), round trip ${rttMs.toFixed(0)} ms (${held.rtt}), ` +
    `jitter ${jitterMs.toFixed(1)} ms (${held.jitter}), queue ${queuedBytes} bytes (${held.queue}), ` +
    `stalls ${(stallRatio * 100).toFixed(0)} % (${held.stalls}), ` +
    `direct links ${(uploadRatio * 100).toFixed(0)} % of the upload (${held.upload})`;
  const reason = "the worst of the paths in use; a worse band counts after 3 s, a better one after 15 s";
  return { about, choice, reason };
}

/** Over how many sockets the plan wants states to go, and why. */
export function stripeWishOf({ stripes, inputs }: Plan, measured: Measured | undefined): StripeWish {
  const percent = Math.round((measured?.stallRatio ?? 0) * 100);
  const stalls = `${percent} % of the round trips stall behind lost segments (${inputs.stalls})`;
  const reason =
    stripes > 1 ? `${stalls}: states alternate` : "no stalls that more sockets would help against";
  return { sockets: stripes, reason };
}

/** Over how many sockets states go now, as a row of the history. */
export function socketsRow(sockets: number, reason: string): Explanation {
  return { about: "server sockets", choice: String(sockets), reason };
}

/** A peer's path, as a row of an explanation. */
export function pathRow({ number, path, channel, reason }: Peer): Explanation {
  return { about: `peer ${number}`, choice: `${path}: ${channel}`, reason };
}
