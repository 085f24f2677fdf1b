import type { Peer } from "../peers/peer.js";
import type { ServerStats } from "../paths/path-stats.js";
import type { Room } from "../api/room.js";
import { bugReport } from "./bug-report.js";
import { make, makeButton, makeSection, setText } from "./dom.js";
import { inWords } from "./numbers.js";
import { PathCard } from "./path-card.js";
import { SimulatorForm } from "./simulator-form.js";
import { PANEL_STYLE } from "./style.js";

/** How the panel fits into a game; all of it may be left out. */
export interface PanelOptions {
  /** Where the panel's element goes. Default: the page's body. */
  readonly parent?: Element;
  /** Default: as the system is. */
  readonly theme?: "light" | "dark";
  /** Names of players. Default: their numbers. */
  nameOf?(peer: Peer): string;
  /** The colour by which players know each other, as CSS has it. */
  colorOf?(peer: Peer): string | undefined;
  /** Elements of the game's own, below the paths; they live in the panel's shadow root and look as its own do. */
  readonly extras?: readonly HTMLElement[];
  /** It was opened or closed, by whomever. */
  onToggle?(isOpen: boolean): void;
}

const REFRESH_MS = 500;
const SHOWN_CHANGES = 60;

/** Shows the path to each peer and its reason, path changes, and a simulated network. Made by {@link showPanel}. */
export class Panel {
  /** Put into the page, with the attribute `data-open` while it is open; all of the panel is in its shadow root. */
  readonly element = make("div", { attributes: { "data-paceline-panel": "" } });
  readonly #room: Room;
  readonly #options: PanelOptions;
  readonly #aside: HTMLElement;
  readonly #server = new PathCard({ "data-server": "" });
  readonly #peers = make("div", { class: "cards" });
  readonly #cards = new Map<string, PathCard>();
  readonly #alone = make("p", { class: "alone", text: "Nobody else is in the room yet." });
  readonly #changes = make("ol");
  readonly #drops = make("ul", { class: "drops" });
  readonly #reasons = make("ul");
  readonly #copy: HTMLButtonElement;
  readonly #copied = make("p", { class: "note", attributes: { role: "status" } });
  readonly #stopListening: () => void;
  #shownChanges = "";
  #shownDrops = "";
  #shownReasons = "";
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @internal Use {@link showPanel}. */
  constructor(room: Room, options: PanelOptions) {
    this.#room = room;
    this.#options = options;
    this.#copy = makeButton("Copy report", () => void this.#copyReport(), {
      title: "Paths, reasons, measurements and changes as JSON, for a bug report",
    });
    this.#aside = make("aside", { attributes: { "aria-label": "Connections", tabindex: "-1" } }, [
      make("div", { class: "top" }, [
        make("h2", { text: "Connections" }),
        this.#copy,
        makeButton("✕", () => this.close(), { class: "close", attributes: { "aria-label": "Close" } }),
      ]),
      this.#body(),
    ]);
    this.#aside.hidden = true;
    const shadow = this.element.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(PANEL_STYLE);
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(this.#aside);
    if (options.theme) this.element.dataset["theme"] = options.theme;
    this.#aside.addEventListener("keydown", (event) => this.#key(event));
    this.#stopListening = room.transport.onChange(() => this.#refreshIfOpen());
    (options.parent ?? document.body).append(this.element);
  }

  get isOpen(): boolean {
    return !this.#aside.hidden;
  }

  open(): void {
    if (this.isOpen) return;
    this.#aside.hidden = false;
    this.element.dataset["open"] = "";
    this.#refresh();
    this.#timer = setInterval(() => this.#refresh(), REFRESH_MS);
    this.#options.onToggle?.(true);
  }

  close(): void {
    if (!this.isOpen) return;
    this.#aside.hidden = true;
    delete this.element.dataset["open"];
    clearInterval(this.#timer);
    this.#options.onToggle?.(false);
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }

  /** Moves the keyboard into the panel; Escape closes it. */
  focus(): void {
    this.#aside.focus();
  }

  /** Takes it out of the page for good; what is simulated goes on until `room.transport.simulate(undefined)`. */
  remove(): void {
    this.close();
    this.#stopListening();
    this.element.remove();
  }

  #body(): HTMLElement {
    return make("div", { class: "body" }, [
      make("div", { class: "cards" }, [this.#peers, this.#alone, this.#server.root]),
      this.#copied,
      ...(this.#options.extras ?? []),
      makeSection("Pretend a worse network", true, [new SimulatorForm(this.#room).root]),
      makeSection("What has changed", true, [this.#changes]),
      makeSection("Dropped on arrival", false, [this.#drops]),
      makeSection("Why it is as it is", false, [this.#reasons]),
    ]);
  }

  /** Keys in here are not meant for the game. */
  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.close();
  }

  #refreshIfOpen(): void {
    if (this.isOpen) this.#refresh();
  }

  #refresh(): void {
    this.#refreshPaths();
    this.#refreshChanges();
    this.#refreshDrops();
    void this.#refreshReasons();
  }

  #refreshPaths(): void {
    const { peers, transport } = this.#room;
    for (const [id, card] of this.#cards) {
      if (peers.some((peer) => peer.id === id)) continue;
      card.root.remove();
      this.#cards.delete(id);
    }
    for (const peer of peers) this.#cardOf(peer).show(this.#viewOf(peer));
    this.#alone.hidden = peers.length > 0;
    const { server } = transport;
    const { isConnected, rttMs, jitterMs, queuedBytes, bytesInPerSecond, bytesOutPerSecond } = server;
    this.#server.show({
      ...{ name: "Server", color: undefined, rttMs, jitterMs, queuedBytes, lossRatio: undefined },
      ...{ bytesIn: bytesInPerSecond, bytesOut: bytesOutPerSecond, updates: undefined },
      path: isConnected ? "connected" : this.#room.state,
      tone: isConnected ? "good" : "bad",
      channel: serverChannel(server),
      reason: transport.serverPath.reason,
    });
  }

  #cardOf(peer: Peer): PathCard {
    const known = this.#cards.get(peer.id);
    if (known) return known;
    const card = new PathCard({ "data-peer": peer.id });
    this.#cards.set(peer.id, card);
    this.#peers.append(card.root);
    return card;
  }

  #viewOf(peer: Peer): Parameters<PathCard["show"]>[0] {
    const { stats } = peer;
    const updates = `${stats.updatesInPerSecond.toFixed(0)} in, ${stats.updatesOutPerSecond.toFixed(0)} out`;
    return {
      name: this.#options.nameOf?.(peer) ?? `Player ${peer.number}`,
      color: this.#options.colorOf?.(peer),
      path: peer.path,
      tone: peer.path === "direct" ? "good" : "fair",
      channel: peer.channel,
      reason: peer.reason,
      rttMs: peer.rttMs,
      jitterMs: stats.jitterMs,
      lossRatio: stats.lossRatio,
      bytesIn: stats.bytesInPerSecond,
      bytesOut: stats.bytesOutPerSecond,
      queuedBytes: stats.queuedBytes,
      updates,
    };
  }

  #refreshChanges(): void {
    const changes = this.#room.transport.history.slice(-SHOWN_CHANGES);
    const key = JSON.stringify(changes);
    if (key === this.#shownChanges) return;
    this.#shownChanges = key;
    this.#changes.replaceChildren(
      ...changes
        .map((_, index) => changes[changes.length - 1 - index]!)
        .map(({ atMs, about, choice, reason }) =>
          make("li", {}, [
            make("time", { text: inWords.time(atMs) }),
            make("span", {}, [make("b", { text: about }), `: ${choice}`, make("em", { text: reason })]),
          ]),
        ),
    );
  }

  #refreshDrops(): void {
    const sum = new Map<string, number>();
    for (const drops of [this.#room.drops.toRecord(), ...this.#room.peers.map((peer) => peer.drops)]) {
      for (const [reason, count] of Object.entries(drops)) sum.set(reason, (sum.get(reason) ?? 0) + count);
    }
    const rows = [...sum].sort(([, a], [, b]) => b - a);
    const key = JSON.stringify(rows);
    if (key === this.#shownDrops && this.#drops.childElementCount > 0) return;
    this.#shownDrops = key;
    const items = rows.map(([reason, count]) =>
      make("li", {}, [make("span", { text: reason }), make("span", { text: String(count) })]),
    );
    this.#drops.replaceChildren(...(items.length > 0 ? items : [make("li", { text: "Nothing so far." })]));
  }

  /** The sentences are fetched by the SDK when first asked for, hence later than the rest. */
  async #refreshReasons(): Promise<void> {
    const rows = await this.#room.transport
      .explain({ details: true })
      .catch((error: unknown) => [
        { about: "The reasons could not be fetched", choice: "", reason: String(error) },
      ]);
    const key = JSON.stringify(rows);
    if (key === this.#shownReasons) return;
    this.#shownReasons = key;
    this.#reasons.replaceChildren(
      ...rows.map(({ about, choice, reason }) =>
        make("li", {}, [
          make("b", { text: about }),
          make("span", { text: choice }),
          make("em", { text: reason }),
        ]),
      ),
    );
  }

  async #copyReport(): Promise<void> {
    const text = await bugReport(this.#room);
    try {
      await navigator.clipboard.writeText(text);
      setText(this.#copied, "The report is in the clipboard.");
    } catch {
      // No clipboard on pages from http, or not allowed: to be copied by hand.
      const field = make("textarea", { attributes: { readonly: "", "aria-label": "Report" } });
      field.value = text;
      this.#copied.replaceChildren("The clipboard is not allowed here; copy this:", field);
      field.select();
    }
  }
}

/** The links to the server and their traffic, in words. */
function serverChannel({ stateLink, sockets }: ServerStats): string {
  if (stateLink === undefined) return "no connection";
  if (stateLink === "webrtc") return "states over WebRTC, the rest over WebSocket";
  return sockets > 1 ? `${sockets} WebSockets, states alternate` : "WebSocket";
}
