import { CloseCode } from "@paceline/protocol";
import type { Link, Scheduler, Session, WebSocketLike } from "@paceline/transport";
import { isSocket, type ServerLink } from "./server-links.js";

/** Time for which a leave waits for the server, whose room may still store what the player leaves, ms. */
const FAREWELL_MS = 2000;
/** `readyState` of a closed WebSocket. */
const CLOSED = 3;

/** End of a connection that was left. It lasts until the server has closed all sockets of the connection. */
export class Farewell {
  /** Sockets whose close the server has not answered. */
  readonly #sockets = new Set<WebSocketLike>();
  /** Link that has carried the leave. The server closes it. */
  #link: Link | undefined;
  #over: Promise<void> | undefined;
  #onSocketsClosed: (() => void) | undefined;

  /** Returns the link of a new socket, for which a farewell waits, too. */
  track({ link, socket }: ServerLink): Link {
    if (socket.readyState === CLOSED) return link;
    this.#sockets.add(socket);
    socket.addEventListener("close", () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onSocketsClosed?.();
    });
    return link;
  }

  /**
   * Ends the session but for its link to the server, which the server closes. Keeps no link that may not have
   * taken the leave: its close code then has to tell it.
   */
  release(session: Session): void {
    const link = session.activeLink;
    session.flush();
    const isWaiting = session.queuedBytes > session.linkBytes;
    if (isWaiting || !link || !isSocket(link) || link.state !== "open") return;
    for (const other of session.release()) if (other !== link) other.close(CloseCode.left, "left");
    this.#link = link;
  }

  /**
   * Resolves when the server has closed the link, which it does when its room has let the player go, when no link
   * is left, or after {@link FAREWELL_MS}.
   */
  over(scheduler: Scheduler): Promise<void> {
    return (this.#over ??= new Promise((resolve) => {
      if (this.#sockets.size === 0) return resolve();
      const end = (): void => {
        cancel();
        this.#link?.close(CloseCode.left, "left");
        resolve();
      };
      const cancel = scheduler.after(FAREWELL_MS, end);
      this.#onSocketsClosed = end;
    }));
  }
}
