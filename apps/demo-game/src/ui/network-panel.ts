import type { Genre, Peer, Room, TransportKind, TransportSettings } from "@paceline/client";
import type { Panel } from "@paceline/client/panel";
import type { DriverCard } from "../race/race-messages.js";
import { button, element } from "./element.js";

export interface NetworkPanelOptions {
  readonly profiles: readonly Genre[];
  readonly cardOf: (peer: Peer) => DriverCard;
  readonly onToggle: (isOpen: boolean) => void;
}

const TRANSPORT_CHOICES: readonly { readonly label: string; readonly kinds: readonly TransportKind[] }[] = [
  { label: "auto: WebRTC, else WebSocket", kinds: ["webrtc", "websocket"] },
  { label: "WebSocket only", kinds: ["websocket"] },
];

/** The SDK's panel with the drivers' names, and with levers to change profile and transports while racing. */
export class NetworkPanel {
  readonly #room: Room;
  readonly #options: NetworkPanelOptions;
  readonly #profile: HTMLSelectElement;
  readonly #transport: HTMLSelectElement;
  readonly #problem = element("p", { class: "problem", attributes: { role: "alert" } });
  #panel: Panel | undefined;
  #isLoading = false;
  #isDisposed = false;

  constructor(room: Room, options: NetworkPanelOptions) {
    this.#room = room;
    this.#options = options;
    this.#profile = select("Profile", options.profiles, (value) => {
      const profile = options.profiles.find((name) => name === value);
      // The game's other overrides stay, such as the relay between its players.
      const { choice } = this.#room.transport;
      if (profile === undefined) return;
      this.#configure({ profile: typeof choice === "string" ? profile : { ...choice, base: profile } });
    });
    const labels = TRANSPORT_CHOICES.map(({ label }) => label);
    this.#transport = select("Transport", labels, (value) => {
      const choice = TRANSPORT_CHOICES.find(({ label }) => label === value);
      if (choice !== undefined) this.#configure({ transports: choice.kinds });
    });
  }

  toggle(): void {
    if (this.#panel) this.#panel.toggle();
    else if (!this.#isLoading) void this.#load();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#panel?.remove();
  }

  /** Nobody who never opens it downloads it. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      const { showPanel } = await import("@paceline/client/panel");
      if (this.#isDisposed) return;
      this.#showChoices();
      this.#panel = showPanel(this.#room, {
        theme: "dark",
        nameOf: (peer) => this.#options.cardOf(peer).name,
        colorOf: (peer) => this.#options.cardOf(peer).color,
        extras: [this.#levers()],
        onToggle: (isOpen) => this.#toggled(isOpen),
      });
    } finally {
      this.#isLoading = false;
    }
  }

  #toggled(isOpen: boolean): void {
    this.#showChoices();
    this.#options.onToggle(isOpen);
  }

  #levers(): HTMLElement {
    return element("details", { attributes: { open: "" } }, [
      element("summary", { text: "This game's levers" }),
      element("div", { class: "fields" }, [
        element("label", {}, [element("span", { text: "Profile" }), this.#profile]),
        element("label", {}, [element("span", { text: "Transport" }), this.#transport]),
      ]),
      this.#problem,
      button(
        "Kill direct links",
        "kill",
        () => this.#room.transport.killDirect(),
        "Closes every WebRTC link without warning: the race goes on over the relay",
      ),
    ]);
  }

  #configure(change: TransportSettings): void {
    try {
      this.#room.transport.configure(change);
      this.#problem.textContent = "";
    } catch (error) {
      this.#problem.textContent = error instanceof Error ? error.message : String(error);
    }
    this.#showChoices();
  }

  #showChoices(): void {
    const { transport } = this.#room;
    this.#profile.value = transport.profile;
    const choice = transport.transports.includes("webrtc") ? TRANSPORT_CHOICES[0] : TRANSPORT_CHOICES[1];
    this.#transport.value = choice?.label ?? "";
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
