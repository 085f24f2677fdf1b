import type { Entity, Peer, Room } from "@paceline/client";
import { make, makeSection, setText, showChoices } from "./dom.js";
import { FieldShares, type KindShare } from "./field-shares.js";
import { MessageForm } from "./message-form.js";
import { inWords } from "./numbers.js";
import { trafficClasses, type TrafficMeter } from "./traffic.js";

const MAX_VALUE_CHARACTERS = 40;

/**
 * Breaks the bytes down by traffic class, message type, kind of entity and field. Also shows an entity's
 * state and sends messages.
 */
export class ContentView {
  readonly root: HTMLElement;
  readonly #meter: TrafficMeter;
  readonly #nameOf: (peer: Peer) => string;
  readonly #shares: FieldShares;
  readonly #message: MessageForm;
  readonly #totals = make("p", { class: "note", attributes: { "data-totals": "" } });
  readonly #parts = make("table");
  readonly #kinds = make("div");
  readonly #sections = new Map<string, KindSection>();

  constructor(room: Room, meter: TrafficMeter, nameOf: (peer: Peer) => string) {
    this.#meter = meter;
    this.#nameOf = nameOf;
    this.#shares = new FieldShares(room);
    this.#message = new MessageForm(room, nameOf);
    this.root = make("div", { class: "content" }, [
      this.#totals,
      this.#parts,
      this.#kinds,
      make("p", {
        class: "note",
        text: "≈ estimated from how much each field changes, in steps of its precision.",
      }),
      make("b", { text: "Send a message" }),
      this.#message.root,
    ]);
  }

  refresh(): void {
    this.#shares.observe();
    const { in: incoming, out: outgoing } = this.#meter;
    this.#totals.dataset["bytesIn"] = String(incoming.bytes);
    this.#totals.dataset["bytesOut"] = String(outgoing.bytes);
    setText(
      this.#totals,
      `Since this panel was opened: ${inWords.bytes(incoming.bytes)} in, ${inWords.bytes(outgoing.bytes)} out; with the ` +
        `networks' own headers about ${inWords.bytes(incoming.bytes + incoming.headerBytes)} and ` +
        `${inWords.bytes(outgoing.bytes + outgoing.headerBytes)}.`,
    );
    this.#refreshParts();
    const shares = this.#shares.shares();
    for (const share of shares) this.#section(share).show(share);
    this.#message.refresh();
  }

  #refreshParts(): void {
    const { in: incoming, out: outgoing } = this.#meter;
    const row = (name: string, bytesIn: number, bytesOut: number): HTMLElement =>
      make("tr", {}, [
        make("th", { text: name, attributes: { scope: "row" } }),
        make("td", { text: shareOf(bytesIn, incoming.bytes) }),
        make("td", { text: shareOf(bytesOut, outgoing.bytes) }),
      ]);
    const types = new Set([...incoming.byType.keys(), ...outgoing.byType.keys()]);
    const classes = trafficClasses.filter((name) => incoming.byClass[name] + outgoing.byClass[name] > 0);
    const head = ["Bytes", "in", "out"].map((text) => make("th", { text, attributes: { scope: "col" } }));
    this.#parts.replaceChildren(
      make("tr", {}, head),
      ...classes.map((name) => row(name, incoming.byClass[name], outgoing.byClass[name])),
      ...Array.from(types, (type) =>
        row(`“${type}”`, incoming.byType.get(type) ?? 0, outgoing.byType.get(type) ?? 0),
      ),
    );
  }

  #section({ definition: { name } }: KindShare): KindSection {
    const known = this.#sections.get(name);
    if (known) return known;
    const section = new KindSection(name, this.#nameOf);
    this.#sections.set(name, section);
    this.#kinds.append(section.root);
    return section;
  }
}

/** Shows a kind of entity: its fields with their shares, and the values of one entity. */
class KindSection {
  readonly root: HTMLDetailsElement;
  readonly #heading: Element;
  readonly #which = make("select", { attributes: { "aria-label": "Entity to look at" } });
  readonly #fields = make("table");
  readonly #nameOf: (peer: Peer) => string;
  readonly #name: string;

  constructor(name: string, nameOf: (peer: Peer) => string) {
    this.#name = name;
    this.#nameOf = nameOf;
    this.root = makeSection(name, false, [this.#which, this.#fields]);
    this.root.className = "kind";
    this.#heading = this.root.firstElementChild!;
  }

  show({ entities, share, fields }: KindShare): void {
    const count = `${entities.length} ${entities.length === 1 ? "entity" : "entities"}`;
    setText(this.#heading, `${this.#name}: ${count}, ≈ ${inWords.percent(share)} of the states' bytes`);
    if (!this.root.open) return;
    showChoices(
      this.#which,
      entities.map((entity) => [String(entity.id), this.#label(entity)]),
    );
    const entity = entities.find(({ id }) => String(id) === this.#which.value);
    const head = ["field", "share", "newest", "shown"].map((text) =>
      make("th", { text, attributes: { scope: "col" } }),
    );
    this.#fields.replaceChildren(
      make("tr", {}, head),
      ...fields.map(({ name, share: part }) =>
        make("tr", {}, [
          make("th", { text: name, attributes: { scope: "row" } }),
          make("td", { text: `≈ ${inWords.percent(part)}` }),
          make("td", { text: valueInWords(entity, name) }),
          make("td", { text: valueInWords(entity?.shown, name) }),
        ]),
      ),
    );
  }

  #label(entity: Entity): string {
    const owner = entity.isMine
      ? "mine"
      : entity.owner.number === 0
        ? "the server's"
        : `of ${this.#nameOf(entity.owner)}`;
    return `${entity.id}, ${owner}`;
  }
}

function shareOf(bytes: number, all: number): string {
  if (bytes === 0) return "–";
  return `${inWords.bytes(bytes)} · ${inWords.percent(bytes / Math.max(1, all))}`;
}

function valueInWords(values: unknown, name: string): string {
  const value = (values as Record<string, unknown> | undefined)?.[name];
  if (value === undefined) return "–";
  const short = (number: number): string => String(Math.round(number * 100) / 100);
  if (typeof value === "number") return short(value);
  const axes = ["x", "y", "z", "w"].flatMap((axis) => {
    const part = typeof value === "object" ? (value as Record<string, unknown>)?.[axis] : undefined;
    return typeof part === "number" ? [short(part)] : [];
  });
  const text = axes.length > 0 ? axes.join(" ") : JSON.stringify(value);
  return text.slice(0, MAX_VALUE_CHARACTERS);
}
