import type { Peer, Room, TransportChange } from "@paceline/client";
import { bugReport } from "./bug-report.js";
import type { ContentView } from "./content-view.js";
import { make, makeButton, makeSection, setText, showRows } from "./dom.js";
import { errorMeaning, inWords, pathsInWords } from "./numbers.js";
import { PeerRow, type PathView } from "./peer-row.js";
import { ShownError } from "./shown-error.js";
import { SimulatorForm } from "./simulator-form.js";
import { PANEL_STYLE } from "./style.js";
import { Timeline, type TimelineSample } from "./timeline.js";
import { trafficClasses, TrafficMeter, type TrafficClass } from "./traffic.js";
import { TreeView } from "./tree-view.js";

/** Options of the panel. All are optional. */
export interface PanelOptions {
  /** Parent of the panel's element. Default: the page's body. */
  readonly parent?: Element;
  /** Default: the theme of the system. */
  readonly theme?: "light" | "dark";
  /** Returns the name of a player. Default: its number. */
  nameOf?(peer: Peer): string;
  /** Returns the CSS colour of a player in the game. */
  colorOf?(peer: Peer): string | undefined;
  /**
   * The game's own elements beside the network presets. They are in the panel's shadow root and get its
   * style.
   */
  readonly extras?: readonly HTMLElement[];
  /** Called when the game or the user has opened or closed the panel. */
  onToggle?(isOpen: boolean): void;
}

const REFRESH_MS = 500;
const SHOWN_CHANGES = 60;
/** The panel's error is the largest of this many newest samples. */
const ERROR_SAMPLES = 6;
/** The panel's rate is the mean of this many newest samples: of a second, as in the rows of the paths. */
const RATE_SAMPLES = 2;
/** The timeline marks these changes: those of paths and of the simulated network. */
const MARKED = /^(?:peer|server|links|simulated)/;

/**
 * Shows the path to each peer and its reason, the traffic of the last minute, path changes, and a simulated
 * network. {@link showPanel} makes it.
 */
export class Panel {
  /**
   * Element in the page, with the attribute `data-open` while the panel is open. Its shadow root holds the
   * whole panel.
   */
  readonly element = make("div", { attributes: { "data-paceline-panel": "" } });
  readonly #room: Room;
  readonly #options: PanelOptions;
  readonly #aside: HTMLElement;
  readonly #numbers = { paths: newNumber("paths"), bytes: newNumber("bytes"), error: newNumber("error") };
  readonly #killAll: HTMLButtonElement;
  readonly #simulator: SimulatorForm;
  readonly #timeline = new Timeline();
  readonly #server: PeerRow;
  readonly #peers = make("div");
  readonly #rows = new Map<string, PeerRow>();
  readonly #alone = make("p", { class: "alone" });
  readonly #content = make("div");
  readonly #tree = new TreeView();
  readonly #changes = make("ol");
  readonly #drops = make("ul", { class: "drops" });
  readonly #reasons = make("ul");
  readonly #copied = make("p", { class: "note", attributes: { role: "status" } });
  readonly #stopListening: () => void;
  readonly #recentErrorsM: (number | undefined)[] = [];
  readonly #recentRates: number[] = [];
  #watch: Watch | undefined;
  #focusedBefore: Element | null = null;

  /** @internal Use {@link showPanel}. */
  constructor(room: Room, options: PanelOptions) {
    this.#room = room;
    this.#options = options;
    this.#simulator = new SimulatorForm(room);
    this.#killAll = makeButton("Kill direct links", () => room.transport.killDirect(), {
      title: "Breaks every direct link without warning: traffic goes on over the server",
    });
    this.#server = new PeerRow({ "data-server": "" }, () => room.transport.killServerWebRtc());
    this.#aside = make("aside", { attributes: { "aria-label": "Connections", tabindex: "-1" } }, [
      make("div", { class: "top" }, [
        make("h2", { text: "Connections" }),
        makeButton("Copy report", () => void this.#copyReport(), {
          title: "Paths, reasons, measurements and changes as JSON, for a bug report",
        }),
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
    this.element.dataset["theme"] =
      options.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.#aside.addEventListener("keydown", (event) => this.#key(event));
    this.#stopListening = room.transport.onChange(() => this.#refreshIfOpen());
    (options.parent ?? document.body).append(this.element);
  }

  get isOpen(): boolean {
    return !this.#aside.hidden;
  }

  /**
   * The part of the window that the panel covers, in CSS pixels, so that a camera can look at the rest. Empty
   * while the panel is closed.
   */
  get bounds(): DOMRectReadOnly {
    return this.#aside.getBoundingClientRect();
  }

  open(): void {
    if (this.isOpen) return;
    this.#aside.hidden = false;
    this.element.dataset["open"] = "";
    this.#watch = new Watch(
      this.#room,
      (peer) => this.#nameOf(peer),
      () => this.#refresh(),
    );
    this.#refresh();
    this.#options.onToggle?.(true);
  }

  close(): void {
    if (!this.isOpen) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#aside.hidden = true;
    delete this.element.dataset["open"];
    this.#watch?.stop();
    this.#watch = undefined;
    if (hadFocus && this.#focusedBefore instanceof HTMLElement) this.#focusedBefore.focus();
    this.#options.onToggle?.(false);
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }

  /** Moves the keyboard focus into the panel. Escape closes the panel and gives the focus back. */
  focus(): void {
    if (!this.element.contains(document.activeElement)) this.#focusedBefore = document.activeElement;
    this.#aside.focus();
  }

  /** Removes the panel for good. A simulated network continues until `room.transport.simulate(undefined)`. */
  remove(): void {
    this.close();
    this.#stopListening();
    this.element.remove();
  }

  #body(): HTMLElement {
    const { paths, bytes, error } = this.#numbers;
    return make("div", { class: "body" }, [
      make("div", { class: "pinned" }, [
        make("div", { class: "numbers" }, [paths.root, bytes.root, error.root]),
        make("div", { class: "row" }, [this.#simulator.levers, this.#killAll]),
        ...(this.#options.extras ?? []),
      ]),
      this.#copied,
      this.#timeline.root,
      make("div", { class: "peers" }, [this.#peers, this.#alone, this.#server.root]),
      makeSection("Own network settings", false, [this.#simulator.fields]),
      makeSection("What is sent", false, [this.#content]),
      makeSection("Why these paths", false, [this.#tree.root, this.#reasons]),
      makeSection("What has changed", false, [this.#changes]),
      makeSection("Details", false, [make("h3", { text: "Dropped on arrival" }), this.#drops]),
    ]);
  }

  /** Keeps keys that are typed in the panel from the game. */
  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.close();
  }

  #refreshIfOpen(): void {
    if (this.isOpen) this.#refresh();
  }

  #refresh(): void {
    this.#refreshNumbers();
    this.#refreshPaths();
    this.#refreshChanges();
    this.#refreshDrops();
    if (isUnfolded(this.#content)) this.#watch?.showContent(this.#content);
    if (isUnfolded(this.#reasons)) void this.#refreshReasons();
  }

  #refreshNumbers(): void {
    const sample = this.#watch?.refresh();
    if (sample) {
      this.#timeline.add(sample);
      this.#recentErrorsM.push(sample.errorM);
      if (this.#recentErrorsM.length > ERROR_SAMPLES) this.#recentErrorsM.shift();
      const total = trafficClasses.reduce((sum, name) => sum + sample.bytesPerSecond[name], 0);
      this.#recentRates.push(total);
      if (this.#recentRates.length > RATE_SAMPLES) this.#recentRates.shift();
      const mean = this.#recentRates.reduce((sum, rate) => sum + rate, 0) / this.#recentRates.length;
      this.#numbers.bytes.show(inWords.rate(mean), "in and out, mean of 1\u00a0s, without headers");
    }
    const { peers, transport, authority } = this.#room;
    const direct = peers.filter(({ path }) => path === "direct" || path === "turn").length;
    const paths = pathsInWords(peers, authority !== undefined);
    this.#numbers.paths.show(paths.value, paths.meaning);
    const errorsM = this.#recentErrorsM.filter((value) => value !== undefined);
    const errorM = errorsM.length > 0 ? Math.max(...errorsM) : undefined;
    this.#numbers.error.show(inWords.metres(errorM), errorMeaning(authority !== undefined));
    this.#killAll.hidden = direct === 0;
    const marks = transport.history.filter(({ about }) => MARKED.test(about));
    this.#timeline.draw(this.#room.nowMs(), marks);
  }

  #refreshPaths(): void {
    const { peers, transport, authority } = this.#room;
    for (const [id, row] of this.#rows) {
      if (peers.some((peer) => peer.id === id)) continue;
      row.root.remove();
      this.#rows.delete(id);
    }
    for (const peer of peers) this.#rowOf(peer).show(this.#viewOf(peer));
    this.#alone.hidden = peers.length > 0;
    setText(this.#alone, authority ? this.#hostedInWords() : "Nobody else is in the room yet.");
    const { server } = transport;
    const { isConnected } = server;
    this.#server.show({
      ...server,
      ...{ name: "Server", color: undefined, updates: undefined, lossRatio: server.loss?.ratio },
      path: isConnected ? "connected" : this.#room.state,
      tone: isConnected ? "good" : "bad",
      channel: serverChannel(server),
      reason: transport.serverPath.reason,
      hasTraffic: true,
      canBeKilled: server.stateLink === "webrtc",
    });
  }

  /** In an authoritative room, entities may belong to the server. */
  #hostedInWords(): string {
    let count = 0;
    for (const kind of this.#room.kinds) {
      for (const entity of this.#room.entities(kind)) count += entity.isMine ? 0 : 1;
    }
    return `No other player is here. ${count === 1 ? "One entity comes" : `${count} entities come`} from the server.`;
  }

  #nameOf(peer: Peer): string {
    return this.#options.nameOf?.(peer) ?? `Player ${peer.number}`;
  }

  #rowOf(peer: Peer): PeerRow {
    const known = this.#rows.get(peer.id);
    if (known) return known;
    const { number } = peer;
    const row = new PeerRow({ "data-peer": peer.id }, () => this.#room.transport.killDirect({ number }));
    this.#rows.set(peer.id, row);
    this.#peers.append(row.root);
    return row;
  }

  #viewOf(peer: Peer): PathView {
    const { stats, path } = peer;
    const updates = `${stats.updatesInPerSecond.toFixed(0)} in, ${stats.updatesOutPerSecond.toFixed(0)} out`;
    const isDirect = path === "direct" || path === "turn";
    return {
      ...stats,
      name: this.#nameOf(peer),
      color: this.#options.colorOf?.(peer),
      path: peer.state === "away" ? "away" : path === "server" ? "by the server" : path,
      tone: peer.state === "away" ? "bad" : isDirect || path === "server" ? "good" : "fair",
      channel: peer.channel,
      reason: peer.reason,
      rttMs: peer.rttMs,
      updates,
      hasTraffic: path !== "server",
      canBeKilled: isDirect,
    };
  }

  /** Replaces a peer's number in a change by the game's name of that player. */
  #aboutInWords(about: string): string {
    const number = /^peer (\d+)/.exec(about)?.[1];
    const peer = this.#room.peers.find((candidate) => String(candidate.number) === number);
    return peer ? this.#nameOf(peer) : about;
  }

  #refreshChanges(): void {
    const changes: TransportChange[] = [];
    for (const change of this.#room.transport.history.slice(-SHOWN_CHANGES)) changes.unshift(change);
    showRows(this.#changes, changes, ({ atMs, about, choice, reason }) => [
      make("time", { text: inWords.time(atMs) }),
      make("span", {}, [
        make("b", { text: this.#aboutInWords(about) }),
        `: ${choice}`,
        make("em", { text: reason }),
      ]),
    ]);
  }

  #refreshDrops(): void {
    const sum = new Map<string, number>();
    const { drops: own, peers, transport } = this.#room;
    for (const drops of [own.toRecord(), transport.server.drops, ...peers.map((peer) => peer.drops)]) {
      for (const [reason, count] of Object.entries(drops)) sum.set(reason, (sum.get(reason) ?? 0) + count);
    }
    const rows: (readonly [string, number?])[] = [...sum].sort(([, a], [, b]) => b - a);
    showRows(this.#drops, rows.length > 0 ? rows : [["Nothing so far."]], ([reason, count]) =>
      count === undefined
        ? [reason]
        : [make("span", { text: reason }), make("span", { text: String(count) })],
    );
  }

  /** Shown later than the rest, because the SDK fetches the texts on first use. */
  async #refreshReasons(): Promise<void> {
    const { transport } = this.#room;
    try {
      await this.#tree.show(transport.plan);
      showRows(this.#reasons, await transport.explain({ details: true }), ({ about, choice, reason }) => [
        make("b", { text: this.#aboutInWords(about) }),
        make("span", { text: choice }),
        make("em", { text: reason }),
      ]);
    } catch (error) {
      this.#reasons.textContent = `The reasons could not be fetched: ${String(error)}`;
    }
  }

  async #copyReport(): Promise<void> {
    const text = await bugReport(this.#room);
    try {
      await navigator.clipboard.writeText(text);
      setText(this.#copied, "The report is in the clipboard.");
    } catch {
      // Pages over http have no clipboard, and the user may forbid it. Then the user copies by hand.
      const field = make("textarea", { attributes: { readonly: "", "aria-label": "Report" } });
      field.value = text;
      this.#copied.replaceChildren("The clipboard is not allowed here; copy this:", field);
      field.select();
    }
  }
}

/** Measures only while the panel is open: a closed panel costs nothing. */
class Watch {
  #content: ContentView | "loading" | undefined;
  readonly #room: Room;
  readonly #meter: TrafficMeter;
  readonly #error: ShownError;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #nameOf: (peer: Peer) => string;
  #frame = 0;
  #refreshedAtMs: number;
  #before: Readonly<Record<TrafficClass, number>>;

  constructor(room: Room, nameOf: (peer: Peer) => string, onTime: () => void) {
    this.#room = room;
    this.#meter = new TrafficMeter(room);
    this.#error = new ShownError(room);
    this.#nameOf = nameOf;
    this.#refreshedAtMs = room.nowMs();
    this.#before = this.#bytes();
    this.#timer = setInterval(onTime, REFRESH_MS);
    const frame = (): void => {
      this.#error.observe();
      this.#frame = requestAnimationFrame(frame);
    };
    frame();
  }

  stop(): void {
    clearInterval(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#meter.stop();
  }

  /** Shows the contents of the traffic. The first call fetches the code. */
  showContent(into: Element): void {
    if (this.#content === "loading") return;
    if (this.#content) return this.#content.refresh();
    this.#content = "loading";
    import("./content-view.js").then(
      (code) => {
        this.#content = new code.ContentView(this.#room, this.#meter, this.#nameOf);
        into.replaceChildren(this.#content.root);
        this.#content.refresh();
      },
      (error: unknown) => {
        this.#content = undefined;
        into.textContent = `This part could not be fetched: ${String(error)}`;
      },
    );
  }

  /** Returns the sample since the last call; undefined if that was just now. */
  refresh(): TimelineSample | undefined {
    const atMs = this.#room.nowMs();
    const seconds = (atMs - this.#refreshedAtMs) / 1000;
    if (seconds < (REFRESH_MS / 1000) * 0.8) return undefined;
    const bytes = this.#bytes();
    const bytesPerSecond = { ...bytes };
    for (const name of trafficClasses) bytesPerSecond[name] = (bytes[name] - this.#before[name]) / seconds;
    this.#refreshedAtMs = atMs;
    this.#before = bytes;
    const { peers, transport, authority } = this.#room;
    const measured = transport.measured;
    const errorsM = this.#error.take();
    const direct = peers.filter(({ path }) => path === "direct" || path === "turn").length;
    const connected = peers.filter(({ state, path }) => state === "connected" && path !== "server").length;
    const { isConnected } = transport.server;
    const all = Math.max(1, authority ? 1 : peers.length);
    const isServed = authority !== undefined || peers.length === 0;
    return {
      atMs,
      rttMs: measured?.rttMs,
      lossRatio: measured?.lossRatio,
      roundTrips: this.#meter.takeRoundTrips(),
      bytesPerSecond,
      errorM: errorsM.length > 0 ? Math.max(...errorsM) : undefined,
      direct: isServed ? Number(isConnected) : direct / all,
      relayed: isServed ? 0 : isConnected ? (connected - direct) / all : 0,
    };
  }

  #bytes(): Record<TrafficClass, number> {
    const { in: incoming, out: outgoing } = this.#meter;
    const sum = { ...incoming.byClass };
    for (const name of trafficClasses) sum[name] += outgoing.byClass[name];
    return sum;
  }
}

interface PinnedNumber {
  readonly root: HTMLElement;
  show(value: string, meaning: string): void;
}

function newNumber(name: string): PinnedNumber {
  const [value, meaning] = [make("b", { class: "num" }), make("small")];
  return {
    root: make("div", { attributes: { "data-number": name } }, [value, meaning]),
    show(text, words) {
      setText(value, text);
      setText(meaning, words);
    },
  };
}

/** True if the section of the element is open. Closed sections are not updated. */
function isUnfolded(element: Element): boolean {
  return element.closest("details")?.open ?? false;
}

function serverChannel({ stateLink, sockets }: Room["transport"]["server"]): string {
  if (stateLink === undefined) return "no connection";
  if (stateLink === "webrtc") return "states over WebRTC, the rest over WebSocket";
  return sockets > 1 ? `${sockets} WebSockets, states alternate` : "WebSocket";
}
