import type { NetError } from "@paceline/protocol";
import { Listeners, type Unsubscribe } from "../events/listeners.js";
import { RoomNews } from "../modes/room-news.js";
import type { MessageLoss, Peer } from "../peers/peer.js";

/** The events of a room. Each method registers a listener and returns a function that removes it. */
export class RoomEvents {
  /** @internal */
  protected readonly dropped = new Listeners<[string]>();
  /** @internal */
  protected readonly reconnected = new Listeners<[MessageLoss & { readonly resumed: boolean }]>();
  /** @internal */
  protected readonly drained = new Listeners<[{ readonly timeoutMs: number }]>();
  /** @internal */
  protected readonly left = new Listeners<[number, string, MessageLoss]>();
  /** @internal */
  protected readonly news = new RoomNews();

  onPeerJoin(listener: (peer: Peer) => void): Unsubscribe {
    return this.news.joins.add(listener);
  }

  /** A peer has left, or its pair with this participant has ended for good; `loss`: messages that it may not have. */
  onPeerLeave(listener: (peer: Peer, loss: MessageLoss) => void): Unsubscribe {
    return this.news.leaves.add(listener);
  }

  /** A peer's {@link Peer.state} is `away` now. Its entities despawn after 2 s; it leaves if it does not come back. */
  onPeerAway(listener: (peer: Peer) => void): Unsubscribe {
    return this.news.absences.add(listener);
  }

  /** A peer that was away is connected again, and its entities spawn again. A reloaded page joins instead. */
  onPeerBack(listener: (peer: Peer) => void): Unsubscribe {
    return this.news.returns.add(listener);
  }

  /**
   * The session with a peer has started again, because one of the two could not read the other:
   * `loss` says how many messages the peer may not have, requests have failed, the peer's entities are spawned again.
   * Messages sent from now on arrive. After the seventh time within a room the peer leaves.
   */
  onPeerReset(listener: (peer: Peer, loss: MessageLoss) => void): Unsubscribe {
    return this.news.resets.add(listener);
  }

  /**
   * States of the room's authority were read: those of one of its ticks, or a part of them where they fill several
   * packets. Of an entity that is in them `lastTick` is that tick. A render loop has no need of this: it reads `shown`.
   */
  onStateChange(listener: (tick: number) => void): Unsubscribe {
    return this.news.states.add(listener);
  }

  /** The connection to the server is lost; the SDK is already trying to come back. Direct links go on. */
  onDrop(listener: (reason: string) => void): Unsubscribe {
    return this.dropped.add(listener);
  }

  /**
   * Back again. `resumed`: the same session, nothing was lost. Otherwise the server had forgotten it: the room was
   * joined again, own entities are kept, the peers are new, and `unacknowledged` messages may not have arrived, all
   * receivers together.
   */
  onReconnect(listener: (info: MessageLoss & { readonly resumed: boolean }) => void): Unsubscribe {
    return this.reconnected.add(listener);
  }

  /**
   * The server takes nobody new any more and ends in `timeoutMs` at the latest; until then everything goes on. A match that
   * takes longer is better played elsewhere.
   */
  onDrain(listener: (info: { readonly timeoutMs: number }) => void): Unsubscribe {
    return this.drained.add(listener);
  }

  /** The end, wanted or not; last event of a room. `loss`: messages that may not have arrived, all receivers together. */
  onLeave(listener: (code: number, reason: string, loss: MessageLoss) => void): Unsubscribe {
    return this.left.add(listener);
  }

  /**
   * Something is wrong that the game should know and that ends nothing (see docs/ERRORS.md). Without a listener the first
   * error of each code goes to `console.warn`.
   */
  onError(listener: (error: NetError) => void): Unsubscribe {
    return this.news.errors.add(listener);
  }
}
