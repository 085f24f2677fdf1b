import type { Peer } from "@paceline/client";
import { make, makeButton, setText } from "./dom.js";
import { inWords } from "./numbers.js";

/** Contents of a row: the path to a peer, or to the server. */
export interface PathView extends Pick<
  Peer["stats"],
  "jitterMs" | "lossRatio" | "queuedBytes" | "bytesInPerSecond" | "bytesOutPerSecond"
> {
  readonly name: string;
  readonly color: string | undefined;
  /** The path in one word. `tone` rates it. */
  readonly path: string;
  readonly tone: "good" | "fair" | "bad";
  readonly channel: string;
  readonly reason: string;
  readonly rttMs: number | undefined;
  readonly updates: string | undefined;
  /** False if all traffic on the path is counted in the server's row. */
  readonly hasTraffic: boolean;
  readonly canBeKilled: boolean;
}

const FIELDS = [
  ["Round trip", "there and back", ({ rttMs }) => inWords.ms(rttMs)],
  ["Jitter", "difference between neighbouring round trips", ({ jitterMs }) => inWords.ms(jitterMs)],
  [
    "Loss",
    "share of packets that do not arrive",
    ({ lossRatio }) => (lossRatio === undefined ? "not known" : inWords.percent(lossRatio)),
  ],
  ["Waiting", "bytes that wait here", ({ queuedBytes }) => inWords.bytes(queuedBytes)],
  ["In", "received, mean of 1 s", ({ bytesInPerSecond }) => inWords.rate(bytesInPerSecond)],
  ["Out", "sent, mean of 1 s", ({ bytesOutPerSecond }) => inWords.rate(bytesOutPerSecond)],
  ["States/s", "states per second, in and out", ({ updates }) => updates],
] as const satisfies readonly (readonly [string, string, (view: PathView) => string | undefined])[];

/** Shows one path in a line that opens to all its details. */
export class PeerRow {
  readonly root: HTMLDetailsElement;
  readonly #chip = make("i", { class: "chip" });
  readonly #name = make("b", { attributes: { dir: "auto" } });
  readonly #path = make("span", { class: "path" });
  readonly #rtt = make("span", { class: "num" });
  readonly #rate = make("span", { class: "num" });
  readonly #channel = make("p", { class: "channel" });
  readonly #reason = make("p", { class: "reason" });
  readonly #values = FIELDS.map(() => make("dd"));
  readonly #kill: HTMLButtonElement;

  constructor(attributes: Readonly<Record<string, string>>, onKill: () => void) {
    this.#kill = makeButton("Kill this link", onKill, {
      title: "Breaks the direct link without warning, as a network does: traffic goes on over the server",
    });
    const fields = FIELDS.map(([name, title], index) =>
      make("div", { title }, [make("dt", { text: name }), this.#values[index]!]),
    );
    this.root = make("details", { class: "peer", attributes }, [
      make("summary", {}, [this.#chip, this.#name, this.#path, this.#rtt, this.#rate]),
      make("div", { class: "card" }, [make("dl", {}, fields), this.#channel, this.#reason, this.#kill]),
    ]);
  }

  show(view: PathView): void {
    setText(this.#name, view.name);
    setText(this.#path, view.path);
    this.#path.dataset["tone"] = view.tone;
    setText(this.#rtt, view.hasTraffic ? inWords.ms(view.rttMs) : "");
    setText(this.#rate, view.hasTraffic ? inWords.rate(view.bytesInPerSecond + view.bytesOutPerSecond) : "");
    setText(this.#channel, view.channel);
    setText(this.#reason, view.reason);
    this.#kill.hidden = !view.canBeKilled;
    this.#chip.hidden = view.color === undefined;
    if (view.color !== undefined) this.#chip.style.backgroundColor = view.color;
    FIELDS.forEach(([, , value], index) => {
      const text = view.hasTraffic ? value(view) : undefined;
      const node = this.#values[index]!;
      node.parentElement!.hidden = text === undefined;
      setText(node, text ?? "");
    });
  }
}
