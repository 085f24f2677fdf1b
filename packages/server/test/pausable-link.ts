import { WebSocketLink } from "@paceline/transport";

/** The server's end of a virtual socket: the other side's packets wait while it is not read. */
export class PausableLink extends WebSocketLink {
  /** Packets that wait; undefined while the link is read. */
  unread: Uint8Array[] | undefined;

  override received(packet: Uint8Array, ...rest: []): void {
    if (this.unread) this.unread.push(packet);
    else super.received(packet, ...rest);
  }

  pauseReading(): void {
    this.unread ??= [];
  }

  resumeReading(): void {
    const unread = this.unread ?? [];
    this.unread = undefined;
    while (!this.unread && unread.length > 0) super.received(unread.shift()!);
    if (this.unread) this.unread = unread;
  }
}
