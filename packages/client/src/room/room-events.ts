import type { NetError } from "@paceline/protocol";
import { Listeners, type Unsubscribe } from "../listeners.js";
import { RoomListeners } from "../modes/room-listeners.js";
import type { MessageLoss, Peer } from "../peers/peer.js";

/** The return of a connection, for {@link RoomEvents.onReconnect}. */
export interface Return extends MessageLoss {
  /** True: the same session continues, and nothing is lost. */
  readonly resumed: boolean;
  /** True: the server has crashed and restored the room, in which this player has its seat again. */
  readonly restored: boolean;
}

/** The events of a room. Each method registers a listener and returns a function that removes it. */
export class RoomEvents {
  /** @internal */
  protected readonly dropped = new Listeners<[string]>();
  /** @internal */
  protected readonly reconnected = new Listeners<[Return]>();
  /** @internal */
  protected readonly drained = new Listeners<[{ readonly timeoutMs: number }]>();
  /** @internal */
  protected readonly left = new Listeners<[number, string, MessageLoss]>();
  /** @internal */
  protected readonly listeners = new RoomListeners();

  /**
   * Reports a peer that joins after this participant. When this participant has joined another time, the room
   * first reports all peers, and then calls the listeners of {@link onReconnect}.
   */
  onPeerJoin(listener: (peer: Peer) => void): Unsubscribe {
    return this.listeners.joins.add(listener);
  }

  /**
   * Reports a peer that has left, or whose pair with this participant has ended for good. `loss` counts the
   * messages that the peer may not have.
   */
  onPeerLeave(listener: (peer: Peer, loss: MessageLoss) => void): Unsubscribe {
    return this.listeners.leaves.add(listener);
  }

  /**
   * Reports a peer whose {@link Peer.state} becomes `away`. Its entities despawn after 2 s. It leaves if it
   * does not return.
   */
  onPeerAway(listener: (peer: Peer) => void): Unsubscribe {
    return this.listeners.absences.add(listener);
  }

  /**
   * Reports an away peer that is connected again. Its entities spawn again. A reloaded page joins instead.
   */
  onPeerBack(listener: (peer: Peer) => void): Unsubscribe {
    return this.listeners.returns.add(listener);
  }

  /**
   * Reports a restart of the session with a peer, after one of the two could not read the other. `loss`
   * counts the messages that the peer may not have. Pending requests fail, and the peer's entities spawn
   * again. Messages sent from then on arrive. After the seventh restart within a room the peer leaves.
   */
  onPeerReset(listener: (peer: Peer, loss: MessageLoss) => void): Unsubscribe {
    return this.listeners.resets.add(listener);
  }

  /**
   * Reports states that were read from the authority, with their tick. If states of one tick fill several
   * packets, the listener runs for each packet. `lastTick` of every entity in them equals this tick. A render
   * loop does not need this: it reads `shown`.
   */
  onStateChange(listener: (tick: number) => void): Unsubscribe {
    return this.listeners.states.add(listener);
  }

  /**
   * Reports the loss of the connection to the server. The SDK already tries to reconnect. Direct links
   * continue.
   */
  onDrop(listener: (reason: string) => void): Unsubscribe {
    return this.dropped.add(listener);
  }

  /**
   * Reports the return of the connection. If `resumed` is true, the same session continues and nothing is
   * lost. Otherwise the server had dropped the session and the client has joined the room again: own entities
   * stay, the peers are new, and `unacknowledged` counts the messages to all receivers that may not have
   * arrived. If `restored` is true, the server has crashed, and the room goes on as it was when it was last saved:
   * messages of which the room knows nothing any more were sent again.
   */
  onReconnect(listener: (info: Return) => void): Unsubscribe {
    return this.reconnected.add(listener);
  }

  /**
   * Reports that the server admits no new players and ends within `timeoutMs`. Until then everything
   * continues. A match that takes longer should move to another server.
   */
  onDrain(listener: (info: { readonly timeoutMs: number }) => void): Unsubscribe {
    return this.drained.add(listener);
  }

  /**
   * Reports the end of the room, wanted or not. It is a room's last event. `loss` counts the messages to all
   * receivers that may not have arrived.
   */
  onLeave(listener: (code: number, reason: string, loss: MessageLoss) => void): Unsubscribe {
    return this.left.add(listener);
  }

  /**
   * Reports an error that the game should know and that does not end the room (see docs/ERRORS.md). Without a
   * listener, the first error of each code goes to `console.warn`.
   */
  onError(listener: (error: NetError) => void): Unsubscribe {
    return this.listeners.errors.add(listener);
  }
}
