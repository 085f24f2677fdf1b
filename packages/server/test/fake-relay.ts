import type { HostedParticipant, HostedRoom } from "@paceline/relay";
import { Session } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";

/** A relay's side of a room, without a relay. */
export function fakeHosted(name: string): HostedRoom {
  return {
    id: "room",
    name,
    code: "BCDFGH",
    maxPlayers: 16,
    maxSpectators: 0,
    isLocked: false,
    isPrivate: false,
    isKept: false,
    metadata: {},
    openMatch: () => Promise.resolve([]),
    end: () => undefined,
  };
}

/** A participant whose bytes a test writes itself. */
export class FakeParticipant implements HostedParticipant {
  readonly number: number;
  readonly id: string;
  readonly session = new Session({ scheduler: new VirtualScheduler(), handlers: {} as never });
  readonly isGone = false;
  readonly inOrderLink = undefined;
  readonly unloadGraceMs = undefined;
  readonly sent: Uint8Array[] = [];
  ended: string | undefined;

  constructor(number: number) {
    this.number = number;
    this.id = `participant ${number}`;
  }

  get info() {
    return { number: this.number, id: this.id, webrtc: false };
  }

  send(payload: Uint8Array): void {
    this.sent.push(payload);
  }

  end(_code: number, reason: string): void {
    this.ended = reason;
  }

  reportExceeded(): void {
    // This participant has no limits.
  }

  readonly isOverdrawn = false;

  charge(): void {
    // This participant has no limits.
  }

  readonly chargeItems = (): void => undefined;

  keepFor(): void {
    // This participant has no link that could be lost.
  }
}
