import type { Peer, Genre, Room, TransportKind } from "@paceline/client";
import type { DriverCard } from "../race/race-messages.js";
import { button, element } from "./element.js";

export interface NetworkPanelOptions {
  readonly profiles: readonly Genre[];
  readonly cardOf: (peer: Peer) => DriverCard;
  readonly onClose: () => void;
  readonly onToggle: (isOpen: boolean) => void;
}

const TRANSPORT_CHOICES: readonly { readonly label: string; readonly kinds: readonly TransportKind[] }[] = [
  { label: "auto: WebRTC, else WebSocket", kinds: ["webrtc", "websocket"] },
  { label: "WebSocket only", kinds: ["websocket"] },
];
const REFRESH_MS = 500;
const HISTORY_ROWS = 14;

/** Who is reached how, why, and what has changed; and the levers to change it while racing. */
export class NetworkPanel {
  readonly root: HTMLElement;
  readonly #room: Room;
  readonly #options: NetworkPanelOptions;
  readonly #peers = element("tbody");
  readonly #reasons = element("ul", { class: "reasons" });
  readonly #history = element("ol", { class: "history" });
  readonly #profile: HTMLSelectElement;
  readonly #transport: HTMLSelectElement;
  readonly #problem = element("p", { class: "panel-problem", attributes: { role: "alert" } });
  readonly #stopListening: () => void;
  #shownReasons = "";
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(room: Room, options: NetworkPanelOptions) {
    this.#room = room;
    this.#options = options;
    this.#profile = select("Profile", options.profiles, (value) => {
      const profile = options.profiles.find((name) => name === value);
      if (profile !== undefined) this.#configure({ profile });
    });
    const labels = TRANSPORT_CHOICES.map(({ label }) => label);
    this.#transport = select("Transport", labels, (value) => {
      const choice = TRANSPORT_CHOICES.find(({ label }) => label === value);
      if (choice !== undefined) this.#configure({ transports: choice.kinds });
    });
    this.root = element(
      "aside",
      { class: "panel", attributes: { hidden: "", "aria-label": "Connections" } },
      [
        element("header", {}, [
          element("h2", { text: "Connections" }),
          button("✕", "panel-close", options.onClose, "Close (P)"),
        ]),
        this.#levers(),
        this.#problem,
        section(
          "Opponents",
          element("div", { class: "panel-scroll" }, [element("table", {}, [tableHead(), this.#peers])]),
        ),
        section("Why", this.#reasons),
        section("Changes", this.#history),
      ],
    );
    this.#stopListening = room.transport.onChange(() => this.#refreshIfOpen());
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  toggle(): void {
    this.root.hidden = this.isOpen;
    this.#options.onToggle(this.isOpen);
    clearInterval(this.#timer);
    if (!this.isOpen) return;
    this.#refresh();
    this.#timer = setInterval(() => this.#refresh(), REFRESH_MS);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#stopListening();
    this.root.remove();
  }

  #levers(): HTMLElement {
    return element("div", { class: "levers" }, [
      element("label", {}, [element("span", { text: "Profile" }), this.#profile]),
      element("label", {}, [element("span", { text: "Transport" }), this.#transport]),
      button(
        "Kill direct links",
        "panel-kill",
        () => this.#room.transport.killDirect(),
        "Closes every WebRTC link without warning: the race goes on over the relay",
      ),
    ]);
  }

  #configure(change: { profile?: Genre; transports?: readonly TransportKind[] }): void {
    try {
      this.#room.transport.configure(change);
      this.#problem.textContent = "";
    } catch (error) {
      this.#problem.textContent = error instanceof Error ? error.message : String(error);
    }
    this.#refresh();
  }

  #refreshIfOpen(): void {
    if (this.isOpen) this.#refresh();
  }

  #refresh(): void {
    const { transport, peers } = this.#room;
    if (document.activeElement !== this.#profile) this.#profile.value = transport.profile;
    if (document.activeElement !== this.#transport) {
      const choice = transport.transports.includes("webrtc") ? TRANSPORT_CHOICES[0] : TRANSPORT_CHOICES[1];
      this.#transport.value = choice?.label ?? "";
    }
    this.#peers.replaceChildren(...peers.map((peer) => peerRow(peer, this.#options.cardOf(peer))));
    void this.#refreshReasons();
    this.#history.replaceChildren(
      ...transport.history
        .slice(-HISTORY_ROWS)
        .toReversed()
        .map((row) =>
          element("li", {}, [
            element("span", { class: "num when", text: `${(row.atMs / 1000).toFixed(1)} s` }),
            element("span", {}, [element("b", { text: `${row.about}: ${row.choice}` }), ` ${row.reason}`]),
          ]),
        ),
    );
  }

  /** The sentences are fetched by the SDK when first asked for, hence later than the rest. */
  async #refreshReasons(): Promise<void> {
    const rows = await this.#room.transport.explain();
    const key = JSON.stringify(rows);
    if (key === this.#shownReasons) return;
    this.#shownReasons = key;
    this.#reasons.replaceChildren(
      ...rows.map((row) =>
        element("li", {}, [
          element("b", { text: row.about }),
          element("em", { text: row.choice }),
          element("span", { text: row.reason }),
        ]),
      ),
    );
  }
}

function select(
  label: string,
  values: readonly string[],
  onChange: (value: string) => void,
): HTMLSelectElement {
  const node = element("select", { attributes: { "aria-label": label } });
  node.append(...values.map((value) => element("option", { text: value, attributes: { value } })));
  node.addEventListener("change", () => {
    onChange(node.value);
    node.blur();
  });
  return node;
}

function section(title: string, content: HTMLElement): HTMLElement {
  return element("section", {}, [element("h3", { text: title }), content]);
}

function tableHead(): HTMLElement {
  const heads: readonly (readonly [string, string])[] = [
    ["Driver", ""],
    ["Path", ""],
    ["RTT", "round-trip time"],
    ["In", "received from this driver"],
    ["Out", "sent to this driver"],
    ["Upd/s", "state updates received per second"],
    ["Loss", "share of packets lost"],
  ];
  return element("thead", {}, [
    element(
      "tr",
      {},
      heads.map(([text, title]) => element("th", title === "" ? { text } : { text, title })),
    ),
  ]);
}

function peerRow(peer: Peer, card: DriverCard): HTMLElement {
  const chip = element("i");
  chip.style.background = card.color;
  const { stats } = peer;
  const cell = (text: string): HTMLElement => element("td", { class: "num", text });
  return element("tr", { attributes: { "data-peer": peer.id } }, [
    element("td", { class: "who" }, [chip, card.name]),
    element("td", {}, [
      element("span", { class: `path ${peer.path}`, text: peer.path, title: peer.reason }),
      element("small", { text: peer.channel }),
    ]),
    cell(peer.rttMs === undefined ? "–" : `${peer.rttMs.toFixed(peer.rttMs < 10 ? 1 : 0)} ms`),
    cell(bytesText(stats.bytesInPerSecond)),
    cell(bytesText(stats.bytesOutPerSecond)),
    cell(stats.updatesInPerSecond.toFixed(0)),
    cell(`${(stats.lossRatio * 100).toFixed(stats.lossRatio > 0 && stats.lossRatio < 0.1 ? 1 : 0)} %`),
  ]);
}

function bytesText(bytesPerSecond: number): string {
  return bytesPerSecond < 1000
    ? `${bytesPerSecond.toFixed(0)} B/s`
    : `${(bytesPerSecond / 1000).toFixed(1)} kB/s`;
}
