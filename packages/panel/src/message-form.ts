import type { Peer, Room } from "@paceline/client";
import { make, setText, showChoices } from "./dom.js";

const EVERYBODY = "";

/** Sends a message of any type by hand, as the game would. */
export class MessageForm {
  readonly root: HTMLFormElement;
  readonly #to = make("select", { attributes: { "aria-label": "To whom" } });
  readonly #nameOf: (peer: Peer) => string;
  readonly #room: Room;

  constructor(room: Room, nameOf: (peer: Peer) => string) {
    this.#room = room;
    this.#nameOf = nameOf;
    const type = make("input", {
      attributes: { placeholder: "type", "aria-label": "Type of message", required: "" },
    });
    const content = make("input", {
      attributes: { placeholder: '{"text":"hello"}', "aria-label": "Content, as JSON" },
    });
    const how = make("select", { attributes: { "aria-label": "How" } }, [
      make("option", { text: "must arrive", attributes: { value: "message" } }),
      make("option", { text: "may be lost", attributes: { value: "event" } }),
    ]);
    const said = make("p", { class: "note", attributes: { role: "status" } });
    this.root = make("form", { class: "message" }, [
      type,
      content,
      this.#to,
      how,
      make("button", { text: "Send", attributes: { type: "submit" } }),
      said,
    ]);
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        const message: unknown = content.value === "" ? {} : JSON.parse(content.value);
        const to = room.peers.find(({ id }) => id === this.#to.value);
        if (how.value === "event") room.sendEvent(type.value, message, to);
        else room.send(type.value, message, to);
        setText(said, `Sent to ${to ? nameOf(to) : this.#everybody}.`);
      } catch (error) {
        setText(said, error instanceof Error ? error.message : String(error));
      }
    });
  }

  get #everybody(): string {
    return this.#room.authority ? "the server" : "everybody";
  }

  refresh(): void {
    // In an authoritative room, players send messages to the server only.
    const peers = this.#room.authority ? [] : this.#room.peers;
    showChoices(this.#to, [
      [EVERYBODY, `to ${this.#everybody}`],
      ...peers.map((peer) => [peer.id, `to ${this.#nameOf(peer)}`] as const),
    ]);
  }
}
