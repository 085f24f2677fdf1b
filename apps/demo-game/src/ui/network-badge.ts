import type { Peer } from "@paceline/client";
import { element, setText } from "./element.js";

/** Numbers of peers by the kind of their path. */
interface PathCounts {
  readonly direct: number;
  readonly turn: number;
  readonly relayed: number;
}

/** Shows how many rivals are reached directly, through TURN and through the relay, and the worst path's reason. */
export class NetworkBadge {
  readonly root: HTMLButtonElement;
  readonly #text = element("span", { class: "badge-text" });
  readonly #reason = element("span", { class: "badge-reason" });

  constructor(onOpen: () => void) {
    this.root = element("button", { class: "badge", attributes: { type: "button" } }, [
      element("i"),
      this.#text,
      this.#reason,
    ]);
    this.root.addEventListener("click", () => {
      onOpen();
      this.root.blur();
    });
  }

  /** Shows the paths to players; those to computer drivers only if there are no players. */
  show(peers: readonly Peer[], isComputer: (peer: Peer) => boolean, authority?: Peer): void {
    if (authority) return this.#showServer(peers.length, authority);
    const players = peers.filter((peer) => !isComputer(peer));
    const shown = players.length > 0 ? players : peers;
    const direct = shown.filter((peer) => peer.path === "direct").length;
    const turn = shown.filter((peer) => peer.path === "turn").length;
    const relayed = shown.length - direct - turn;
    setText(this.#text, pathsInWords({ direct, turn, relayed }, peers.length - players.length));
    const worst = worstOf(players);
    setText(this.#reason, worst?.reason ?? "");
    this.root.title =
      worst === undefined ? "No other player is here yet" : `${worst.channel}: ${worst.reason}`;
    this.root.dataset["path"] =
      shown.length === 0
        ? "alone"
        : direct === shown.length
          ? "direct"
          : relayed === shown.length
            ? "relay"
            : "mixed";
  }

  #showServer(others: number, { channel, reason, rttMs }: Peer): void {
    const company = others === 0 ? "" : `${others + 1} players · `;
    setText(this.#text, `${company}the server decides`);
    setText(this.#reason, rttMs === undefined ? "" : `${Math.round(rttMs)} ms to the server and back`);
    this.root.title = `${channel}: ${reason}`;
    this.root.dataset["path"] = "direct";
  }
}

/** @param computers number of computer drivers in the race; the counts are theirs if there are no players */
export function pathsInWords(counts: PathCounts, computers: number): string {
  const { direct, turn, relayed } = counts;
  const all = direct + turn + relayed;
  if (all === 0) return "alone on the track";
  if (computers === all) {
    const who = computers === 1 ? "1 computer driver" : `${computers} computer drivers`;
    return `${who} · ${pathsInWords(counts, 0)}`;
  }
  const parts = [
    [direct, "direct"],
    [turn, "via TURN"],
    [relayed, "via relay"],
  ] as const;
  return parts.flatMap(([count, how]) => (count > 0 ? [`${count} ${how}`] : [])).join(" · ");
}

/** Returns the peer with the worst path: a relayed one before a direct one, then the slowest. */
function worstOf(peers: readonly Peer[]): Peer | undefined {
  return [...peers].sort(
    (a, b) => Number(a.path === "direct") - Number(b.path === "direct") || (b.rttMs ?? 0) - (a.rttMs ?? 0),
  )[0];
}
