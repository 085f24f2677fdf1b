import { assertFunction, assertMessageType, type PeerPayload } from "@paceline/protocol";
import { Listeners, guarded, reportGameError, type Unsubscribe } from "../listeners.js";
import type { Peer } from "./peer.js";

/** Listener of a message. It may be async: a rejection is reported like an error. */
export type MessageListener = (message: unknown, from: Peer) => unknown;
export type RequestHandler = (message: unknown, from: Peer) => unknown;

/** Limit of warnings about unheard types: a hostile participant can invent any number of types. */
const MAX_WARNINGS = 8;

/** The game's handlers for messages and requests. */
export class RoomMessages {
  readonly #listeners = new Map<string, Listeners<[unknown, Peer]>>();
  readonly #handlers = new Map<string, RequestHandler>();
  /** Types of messages that arrived although the game does not listen to them: one warning each. */
  readonly #unheard = new Set<string>();

  listen(type: string, listener: MessageListener): Unsubscribe {
    assertMessageType(type);
    const listeners = this.#listeners.get(type) ?? new Listeners<[unknown, Peer]>();
    const unsubscribe = listeners.add(listener);
    this.#listeners.set(type, listeners);
    return unsubscribe;
  }

  /** Sets the handler of a type, in place of an earlier one. */
  handle(type: string, handler: RequestHandler): Unsubscribe {
    assertMessageType(type);
    assertFunction("handler", handler);
    this.#handlers.set(type, handler);
    return () => {
      if (this.#handlers.get(type) === handler) this.#handlers.delete(type);
    };
  }

  deliver(type: string, message: unknown, from: Peer): void {
    const listeners = this.#listeners.get(type);
    if (listeners) listeners.emit(message, from);
    else this.#warnOf(type);
  }

  answer(
    from: Peer,
    request: PeerPayload & { readonly kind: "request" },
    send: (reply: PeerPayload) => void,
  ): void {
    const reply = (ok: boolean, message: unknown): void =>
      send({ kind: "reply", id: request.id, ok, message });
    const handler = this.#handlers.get(request.type);
    if (!handler) return guarded(() => reply(false, `no handler for ${request.type}`));
    // An answer that cannot be sent counts as a failure of the handler.
    Promise.resolve()
      .then(() => handler(request.message, from))
      .then((answer) => reply(true, answer))
      .catch((error: unknown) => {
        reportGameError(error);
        guarded(() => reply(false, "the handler failed"));
      });
  }

  /** Without a warning, a game that listens too late would lose messages in silence. */
  #warnOf(type: string): void {
    if (this.#unheard.has(type) || this.#unheard.size >= MAX_WARNINGS) return;
    this.#unheard.add(type);
    // oxlint-disable-next-line no-console -- a mistake that shows nowhere else
    console.warn(
      `paceline: a message "${type}" came, and nothing listens to it: ` +
        `call room.onMessage("${type}", ...) right after joining, before another await`,
    );
  }
}
