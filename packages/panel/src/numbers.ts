import type { Peer } from "@paceline/client";

/** Formats numbers for the panel: with the digits that matter, and a dash if unknown. */
export const inWords = {
  ms(this: void, value: number | undefined): string {
    if (value === undefined) return "–";
    return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  },
  metres(this: void, value: number | undefined): string {
    if (value === undefined) return "–";
    return `${value.toFixed(value < 10 ? 2 : 0)} m`;
  },
  bytes(this: void, value: number): string {
    if (value < 1000) return `${value.toFixed(0)} B`;
    return value < 1_000_000 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`;
  },
  rate(this: void, bytesPerSecond: number): string {
    return `${inWords.bytes(bytesPerSecond)}/s`;
  },
  percent(this: void, ratio: number): string {
    return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 1 : 0)} %`;
  },
  time(this: void, atMs: number): string {
    const seconds = Math.floor(atMs / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  },
};

/** Returns how many of the others are reached directly, and how the rest is reached. */
export function pathsInWords(
  peers: readonly Pick<Peer, "path" | "state">[],
  isDecided: boolean,
): { readonly value: string; readonly meaning: string } {
  if (isDecided) return { value: "server", meaning: "a server decides" };
  if (peers.length === 0) return { value: "alone", meaning: "nobody else is in the room" };
  const here = peers.filter(({ state }) => state !== "away");
  const count = (path: Peer["path"]): number => here.filter((peer) => peer.path === path).length;
  const rest = [
    [count("turn"), "through TURN"],
    [count("relay"), "relayed"],
    [peers.length - here.length, "away"],
  ] as const;
  const others = rest.flatMap(([number, how]) => (number > 0 ? [`${number} ${how}`] : []));
  return { value: `${count("direct")} of ${peers.length}`, meaning: ["direct", ...others].join(", ") };
}

/** Names the states that shown entities are compared with. A server's states may differ from what players see. */
export function errorMeaning(isDecided: boolean): string {
  return isDecided
    ? "error of what is shown, against the server's states"
    : "error of where others are shown";
}
