import type { Genre, Peer, Room, TransportKind, TransportSettings } from "@paceline/client";
import type { Panel } from "@paceline/panel";
import type { DriverCard } from "../race/race-messages.js";
import { element } from "./element.js";

export interface NetworkPanelOptions {
  readonly profiles: readonly Genre[];
  readonly cardOf: (peer: Peer) => DriverCard;
  /** @param bounds the panel's rectangle in the window; empty while the panel is closed */
  readonly onToggle: (isOpen: boolean, bounds: DOMRectReadOnly) => void;
}

const TRANSPORT_CHOICES: readonly { readonly label: string; readonly kinds: readonly TransportKind[] }[] = [
  { label: "WebRTC first", kinds: ["webrtc", "websocket"] },
  { label: "WebSocket only", kinds: ["websocket"] },
];

/**
 * The SDK's panel with the drivers' names, and with controls that change profile and transports in mid-race.
 */
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
      // Keeps the game's other settings, such as the relay between its players.
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

  get isOpen(): boolean {
    return this.#panel?.isOpen ?? false;
  }

  focus(): void {
    this.#panel?.focus();
  }

  close(): void {
    this.#panel?.close();
  }

  toggle(): void {
    if (this.#panel) this.#panel.toggle();
    else if (!this.#isLoading) void this.#load();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#panel?.remove();
  }

  /** Loads the panel's code when the panel is opened for the first time. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      const { showPanel } = await import("@paceline/panel");
      if (this.#isDisposed) return;
      this.#showChoices();
      this.#panel = showPanel(this.#room, {
        theme: "dark",
        nameOf: (peer) => this.#options.cardOf(peer).name,
        colorOf: (peer) => this.#options.cardOf(peer).color,
        extras: this.#levers(),
        onToggle: (isOpen) => this.#toggled(isOpen),
      });
      this.#toggled(true);
    } finally {
      this.#isLoading = false;
    }
  }

  #toggled(isOpen: boolean): void {
    this.#showChoices();
    // `showPanel` calls this before it returns the panel; `#load` calls it again then.
    if (this.#panel) this.#options.onToggle(isOpen, this.#panel.bounds);
  }

  #levers(): HTMLElement[] {
    return [
      element("div", { class: "row" }, [this.#profile, this.#transport]),
      this.#problem,
      element("p", { class: "legend-of-cars" }, [
        outline("dashed", "#fff"),
        "newest packet ",
        outline("solid", "#5ad7ff"),
        "as shown",
      ]),
    ];
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

/** Returns a sample of an outline that the cars have while the panel is open. */
function outline(style: string, color: string): HTMLElement {
  const node = element("i");
  Object.assign(node.style, {
    display: "inline-block",
    width: "18px",
    height: "9px",
    margin: "0 6px 0 0",
    border: `2px ${style} ${color}`,
    borderRadius: "2px",
  });
  return node;
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
