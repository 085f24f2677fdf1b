import type { Peer } from "@paceline/client";
import { element, setText } from "./element.js";

/** Shows how many rivals are reached directly, how many through the relay, and the worst path's reason. */
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
    const relayed = shown.length - direct;
    setText(this.#text, summary(direct, relayed, peers.length - players.length));
    const worst = worstOf(players);
    setText(this.#reason, worst?.reason ?? "");
    this.root.title =
      worst === undefined ? "No other player is here yet" : `${worst.channel}: ${worst.reason}`;
    this.root.dataset["path"] =
      shown.length === 0 ? "alone" : relayed === 0 ? "direct" : direct === 0 ? "relay" : "mixed";
  }

  #showServer(others: number, { channel, reason, rttMs }: Peer): void {
    const company = others === 0 ? "" : `${others + 1} players · `;
    setText(this.#text, `${company}the server decides`);
    setText(this.#reason, rttMs === undefined ? "" : `${Math.round(rttMs)} ms to the server and back`);
    this.root.title = `${channel}: ${reason}`;
    this.root.dataset["path"] = "direct";
  }
}

function summary(direct: number, relayed: number, computers: number): string {
  const isAmongComputers = computers === direct + relayed && computers > 0;
  if (isAmongComputers) {
    const who = computers === 1 ? "1 computer driver" : `${computers} computer drivers`;
    return `${who} · ${summary(direct, relayed, 0)}`;
  }
  if (direct + relayed === 0) return "alone on the track";
  if (relayed === 0) return `${direct} direct`;
  if (direct === 0) return `${relayed} via relay`;
  return `${direct} direct · ${relayed} via relay`;
}

/** Returns the peer with the worst path: a relayed one before a direct one, then the slowest. */
function worstOf(peers: readonly Peer[]): Peer | undefined {
  return [...peers].sort(
    (a, b) => Number(a.path === "direct") - Number(b.path === "direct") || (b.rttMs ?? 0) - (a.rttMs ?? 0),
  )[0];
}
