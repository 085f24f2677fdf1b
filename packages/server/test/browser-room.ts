/** A room and its player in one script, as a page that hosts its room has them. A test bundles and runs it. */
import { defineEntity, vec2 } from "@paceline/protocol";
import type { ParticipantCallbacks } from "@paceline/relay";
import { Session } from "@paceline/transport";
import { seededRandom } from "@paceline/transport/simulated";
import type { HookTrace, Running } from "../src/hooks/hooks.js";
import type { Player, PlayerParticipant } from "../src/room/player.js";
import { Room } from "../src/room/room.js";
import { assertRoom } from "../src/room/room-settings.js";
import { memoryLinkPair } from "../../testkit/src/memory-link-pair.js";
import { VirtualScheduler } from "../../testkit/src/virtual-scheduler.js";

const Car = defineEntity("car", { position: vec2({ range: [0, 100], precision: 0.01, unit: "m" }) });

class Track extends Room {
  override readonly entities = [Car];
  readonly calls: string[] = [];

  override onJoin(player: Player): void {
    this.calls.push(`join ${player.number}`);
    this.spawn(Car, { position: { x: 1, y: 2 } }, player);
  }

  override onTick(seconds: number): void {
    for (const car of this.entitiesOf(Car)) car.position.x += seconds;
  }

  override onLeave(player: Player): void {
    this.calls.push(`leave ${player.number}`);
  }
}

/** Knows only the hook that runs: a page cannot follow its promises and timers. */
class PageTrace implements HookTrace {
  readonly isWatched = false;
  #running: Running | undefined;

  getStore(): Running | undefined {
    return this.#running;
  }

  run<Value>(running: Running, fn: () => Value): Value {
    const before = this.#running;
    this.#running = running;
    try {
      return fn();
    } finally {
      this.#running = before;
    }
  }
}

/** Plays for 2 s. Returns the hooks that ran and the bytes of states that the player received. */
export async function play(): Promise<{
  readonly calls: string[];
  readonly logged: string[];
  readonly stateBytes: number;
}> {
  const scheduler = new VirtualScheduler();
  const links = memoryLinkPair({ scheduler, random: seededRandom(1), isUnreliable: false });
  const logged: string[] = [];
  const note = (line: string) => (): void => void logged.push(line);
  const log = {
    error: note("error"),
    warn: note("warn"),
    info: note("info"),
    debug: note("debug"),
    trace: note("trace"),
  };
  const room = new Track();
  assertRoom(room);
  Room.attach(room, {
    hosted: {
      ...{ id: "room", name: "track", code: "BCDFGH", maxPlayers: 16, maxSpectators: 0, metadata: {} },
      ...{ isLocked: false, isPrivate: false, isKept: false },
      taken: 0,
      addBot: () => 0,
      introduceBot: () => undefined,
      removeBot: () => undefined,
      openMatch: () => Promise.resolve([]),
      end: () => undefined,
    },
    ...{ scheduler, log, hookTrace: new PageTrace(), hookTimeoutMs: 1000, blockedMs: 1000 },
    hookLog: {
      failed: (hook, error) => void logged.push(`${hook}: ${String(error)}`),
      ...{ refused: note("refused"), clamped: note("clamped"), stale: note("stale") },
      misjudged: note("misjudged"),
      shortOfBudget: note("short of budget"),
    },
    onClosed: () => undefined,
    onOver: () => undefined,
    onLateError: note("late error"),
  });
  let stateBytes = 0;
  const page = new Session({
    scheduler,
    handlers: { onReliable: () => undefined, onState: (body) => void (stateBytes += body.length) },
  });
  let callbacks: ParticipantCallbacks | undefined;
  const session = new Session({
    scheduler,
    handlers: {
      onReliable: (payload) => callbacks?.receive(payload),
      onState: (body, tick) => callbacks?.receiveState(body, tick),
      onAcknowledged: (sequence) => callbacks?.acknowledged(sequence),
    },
  });
  const participant: PlayerParticipant = {
    get callbacks() {
      return callbacks;
    },
    set callbacks(next) {
      callbacks = next;
    },
    ...{
      number: 1,
      id: "page",
      info: { number: 1, id: "page", webrtc: true },
      session,
      inOrderLink: links.a,
    },
    ...{ isGone: false, isOverdrawn: false, unloadGraceMs: undefined },
    send: (payload, periodMs) => session.sendAllReliable([payload], periodMs),
    charge: () => undefined,
    chargeItems: () => undefined,
    end: () => undefined,
    keepFor: () => undefined,
    sendIntroductions: () => undefined,
    reportExceeded: () => undefined,
  };
  for (const [end, link] of [
    [session, links.a],
    [page, links.b],
  ] as const) {
    const times = { connectTimeoutMs: 5000, timeoutMs: 5000, heartbeatMs: 1000 };
    end.attach(link, { preference: 1, needsProof: false, ...times });
  }
  const opened = await Room.open(room, {});
  const { lifecycle } = Room.partsOf(room);
  const seat = { options: {}, auth: true, replaces: undefined, isSpectator: false, address: "" };
  await lifecycle.join(participant, seat);
  for (let step = 0; step < 200; step++) {
    scheduler.advance(10);
    await Promise.resolve();
  }
  await callbacks?.left({ code: 4000, reason: "left" });
  opened?.close();
  return { calls: room.calls, logged, stateBytes };
}
