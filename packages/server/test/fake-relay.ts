import { silentLog, type ParticipantCallbacks } from "@paceline/relay";
import { Room } from "@paceline/server";
import { Session, type Scheduler } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";
import { HookLog } from "../src/hooks/hook-log.js";
import { hookTrace } from "../src/hooks/hook-trace.js";
import type { PlayerParticipant } from "../src/room/player.js";
import type { RelayedRoom, RoomParts } from "../src/room/room-parts.js";

/** A relay's side of a room, without a relay. */
export function fakeHosted(name: string): RelayedRoom {
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
    taken: 0,
    addBot: () => 1000,
    introduceBot: () => undefined,
    removeBot: () => undefined,
  };
}

/** Attaches a room to a fake relay. `over` resolves when its last hook has ended. */
export function attachFake(
  room: Room,
  scheduler: Scheduler,
  hosted: RelayedRoom,
): { readonly parts: RoomParts; readonly over: Promise<void> } {
  let onOver = (): void => undefined;
  const over = new Promise<void>((resolve) => (onOver = resolve));
  Room.attach(room, {
    hosted,
    scheduler,
    log: silentLog,
    hookLog: new HookLog(silentLog, scheduler, hosted.name),
    hookTrace,
    hookTimeoutMs: 1000,
    blockedMs: 1000,
    onClosed: () => undefined,
    onOver,
    onLateError: () => undefined,
  });
  return { parts: Room.partsOf(room), over };
}

/** A participant whose bytes a test writes itself. */
export class FakeParticipant implements PlayerParticipant {
  readonly number: number;
  readonly id: string;
  callbacks: ParticipantCallbacks | undefined;
  readonly session = new Session({ scheduler: new VirtualScheduler(), handlers: {} as never });
  readonly isGone = false;
  readonly inOrderLink = undefined;
  readonly unloadGraceMs: number | undefined = undefined;
  readonly sent: Uint8Array[] = [];
  ended: string | undefined;

  constructor(number: number) {
    this.number = number;
    this.id = `participant ${number}`;
  }

  get info() {
    return { number: this.number, id: this.id, webrtc: false };
  }

  send(payload: Uint8Array): number {
    return this.sent.push(payload);
  }

  end(_code: number, reason: string): void {
    this.ended = reason;
  }

  sendIntroductions(): void {}

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
