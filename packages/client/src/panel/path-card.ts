import { make, setText } from "./dom.js";
import { inWords } from "./numbers.js";
import { Sparkline } from "./sparkline.js";

/** The contents of a path's card. */
export interface PathView {
  readonly name: string;
  readonly color: string | undefined;
  /** One word, and what kind of good or bad it is. */
  readonly path: string;
  readonly tone: "good" | "fair" | "bad";
  readonly channel: string;
  readonly reason: string;
  readonly rttMs: number | undefined;
  readonly jitterMs: number;
  readonly lossRatio: number | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly queuedBytes: number;
  readonly updates: string | undefined;
}

const FIELDS = [
  ["RTT", "round-trip time", ({ rttMs }) => inWords.ms(rttMs)],
  ["Jitter", "difference between neighbouring round trips", ({ jitterMs }) => inWords.ms(jitterMs)],
  [
    "Loss",
    "share of packets that do not arrive",
    ({ lossRatio }) => (lossRatio === undefined ? undefined : inWords.percent(lossRatio)),
  ],
  ["Queue", "bytes that wait here", ({ queuedBytes }) => inWords.bytes(queuedBytes)],
  ["In", "received", ({ bytesIn }) => inWords.rate(bytesIn)],
  ["Out", "sent", ({ bytesOut }) => inWords.rate(bytesOut)],
  ["Updates", "states per second, in and out", ({ updates }) => updates],
] as const satisfies readonly (readonly [string, string, (view: PathView) => string | undefined])[];

/** One path: to a peer, or to the server. */
export class PathCard {
  readonly root: HTMLElement;
  readonly #chip = make("i", { class: "chip" });
  readonly #name = make("b");
  readonly #path = make("span", { class: "path" });
  readonly #channel = make("p", { class: "channel" });
  readonly #reason = make("p", { class: "reason" });
  readonly #line = new Sparkline();
  readonly #values = FIELDS.map(() => make("dd"));

  constructor(attributes: Readonly<Record<string, string>> = {}) {
    const fields = FIELDS.map(([name, title], index) =>
      make("div", { title }, [make("dt", { text: name }), this.#values[index]!]),
    );
    this.root = make("article", { class: "card", attributes }, [
      make("header", {}, [this.#chip, this.#name, this.#path, this.#line.root]),
      make("dl", {}, fields),
      this.#channel,
      this.#reason,
    ]);
  }

  show(view: PathView): void {
    setText(this.#name, view.name);
    setText(this.#path, view.path);
    this.#path.dataset["tone"] = view.tone;
    setText(this.#channel, view.channel);
    setText(this.#reason, view.reason);
    this.#chip.hidden = view.color === undefined;
    if (view.color !== undefined) this.#chip.style.backgroundColor = view.color;
    FIELDS.forEach(([, , value], index) => {
      const text = value(view);
      const node = this.#values[index]!;
      // Rows without a value on this path are hidden.
      node.parentElement!.hidden = text === undefined;
      setText(node, text ?? "");
    });
    if (view.rttMs !== undefined) this.#line.add(view.rttMs);
  }
}
