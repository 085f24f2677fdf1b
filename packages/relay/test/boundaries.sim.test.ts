import { CloseCode, PayloadKind, type ClientMessage } from "@paceline/protocol";
import { PathLink } from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Forwarder } from "../src/forwarding/forwarder.js";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { Participant } from "../src/sessions/participant.js";
import { ParticipantNews } from "../src/sessions/participant-news.js";
import { StreamSlots } from "../src/sessions/stream-slots.js";
import { SessionMeter } from "../src/limits/session-meter.js";
import { StripeTickets } from "../src/admission/stripe-tickets.js";
import { WebRtcAnswerer } from "../src/signaling/webrtc-answerer.js";
import type {
  Log,
  LogFields,
  MatchRefusal,
  ParticipantCallbacks,
  RoomAuthority,
  RoomCallbacks,
  Seat,
} from "../src/index.js";
import { authority } from "./authority.js";
import { Player } from "./player.js";
import { VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

afterEach(() => vi.restoreAllMocks());

interface Line {
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function recorded(): { readonly lines: Line[]; readonly log: Log } {
  const lines: Line[] = [];
  const error = (message: string, fields?: LogFields): void => void lines.push({ message, fields });
  const none = (): void => undefined;
  return { lines, log: { error, warn: none, info: none, debug: none, trace: none } };
}

function broken(): never {
  throw new TypeError("a mistake of ours");
}

/**
 * Expects that the faulty session has ended with its close code, that a session of another room goes on, and
 * that the fault is counted and logged.
 */
function expectContained(
  stage: VirtualRegistry,
  victim: Player,
  other: Player,
  lines: readonly Line[],
): void {
  stage.scheduler.advance(3000);
  expect(victim.close?.code).toBe(CloseCode.internalError);
  expect(other.close).toBeUndefined();
  other.tell({ type: "capabilities", webrtc: false });
  stage.scheduler.advance(3000);
  expect(other.session.commands.length).toBe(0);
  const { faults, sessionEnds } = stage.settings.counters;
  expect(faults.packet + faults.timer).toBeGreaterThan(0);
  expect(sessionEnds).toEqual({ internalError: 1 });
  expect(lines[0]?.message).toBe("contained an error");
  expect(lines[0]?.fields?.error).toContain("TypeError: a mistake of ours\n    at ");
}

describe("an error in the handling of a packet ends only that session", () => {
  const say = (message: ClientMessage) => (player: Player) => player.tell(message);
  const reliable = (payload: Uint8Array) => (player: Player) => player.session.sendReliable(payload);
  const handlers: [string, () => unknown, (player: Player) => unknown][] = [
    [
      "capabilities",
      () => vi.spyOn(ParticipantNews.prototype, "setWebrtc").mockImplementationOnce(broken),
      say({ type: "capabilities", webrtc: false }),
    ],
    [
      "visibility",
      () => vi.spyOn(Participant.prototype, "setPage").mockImplementationOnce(broken),
      say({ type: "visibility", hidden: true }),
    ],
    [
      "stripe",
      () => vi.spyOn(StripeTickets.prototype, "issue").mockImplementationOnce(broken),
      say({ type: "stripe" }),
    ],
    [
      "slot",
      () => vi.spyOn(StreamSlots.prototype, "keep").mockImplementationOnce(broken),
      say({ type: "slot", stream: 0, state: Uint8Array.of(1) }),
    ],
    [
      "signal",
      () => vi.spyOn(WebRtcAnswerer.prototype, "signal").mockImplementationOnce(broken),
      say({ type: "signal", to: 0, attempt: 1, data: {} }),
    ],
    [
      "any control message",
      () => vi.spyOn(SessionMeter.prototype, "admitSignal").mockImplementationOnce(broken),
      say({ type: "stripe" }),
    ],
    [
      "routed packets",
      () => vi.spyOn(Forwarder.prototype, "forward").mockImplementationOnce(broken),
      (player) => player.forward([player], Uint8Array.of(1)),
    ],
    [
      "the meter",
      () => vi.spyOn(SessionMeter.prototype, "admitPacket").mockImplementationOnce(broken),
      (player) => player.session.ping(),
    ],
    [
      "the answer to a ping",
      () => {
        const { send } = PathLink.prototype;
        // Only the server's ends have a guard.
        const spy = vi.spyOn(PathLink.prototype, "send").mockImplementation(function (
          this: PathLink,
          ...packet
        ) {
          if (!this.guard) return send.apply(this, packet);
          spy.mockRestore();
          broken();
        });
      },
      (player) => player.session.ping(),
    ],
  ];

  test.each(handlers)("%s", (_name, inject, act) => {
    const { lines, log } = recorded();
    const stage = new VirtualRegistry({ log });
    const other = stage.join({ method: "create" }).player;
    const victim = stage.join({ method: "create" }).player;
    inject();
    act(victim);
    expectContained(stage, victim, other, lines);
  });

  test.each([
    ["reliable messages", "receive", reliable(Uint8Array.of(PayloadKind.command, 1))],
    ["events", "receiveEvent", (player: Player) => player.session.sendEvent(Uint8Array.of(1))],
    ["states", "receiveState", (player: Player) => player.session.sendState(Uint8Array.of(1))],
    ["inputs", "receiveInput", (player: Player) => player.session.sendInput(Uint8Array.of(1))],
    [
      "bulk",
      "receive",
      (player: Player) => player.session.sendBulk(Uint8Array.of(PayloadKind.command, 1, 2, 3)),
    ],
    [
      "acknowledgements of states",
      "acknowledged",
      (player: Player) => player.session.sendEvent(Uint8Array.of(1)),
    ],
  ] as const)("%s of a room with an authority", async (_name, method, act) => {
    const { lines, log } = recorded();
    const stage = new VirtualRegistry({
      log,
      rooms: { race: {}, led: { authority: authorityOf({ [method]: broken }, sendState) } },
    });
    const other = stage.join().player;
    const victim = (await joinLed(stage)).player;
    act(victim);
    expectContained(stage, victim, other, lines);
  });

  test("an error in the receiver's link ends the receiver's session, not the sender's", () => {
    const stage = new VirtualRegistry();
    const [sender, receiver] = [stage.join(), stage.join()];
    (receiver.link.relay.guard as AdmittedLink).beforeSend = broken;
    sender.player.forward([receiver.player], Uint8Array.of(1, 2));
    stage.scheduler.advance(100);
    expect(stage.settings.counters.faults.packet).toBeLessThan(10);
    stage.scheduler.advance(1000);
    expect(receiver.player.close?.code).toBe(CloseCode.internalError);
    expect(sender.player.close).toBeUndefined();
  });
});

describe("an error in a timer", () => {
  test("of one session ends only that session; the timers of others go on", async () => {
    const { lines, log } = recorded();
    const stage = new VirtualRegistry({ log, rooms: { race: {}, led: { authority: authorityOf({}) } } });
    const other = stage.join().player;
    const { player, link } = await joinLed(stage);
    // The player is silent. So a timer sends it a ping, and calls the link's `hasRoom` first.
    vi.spyOn(link.player, "send").mockImplementation(() => undefined);
    stage.scheduler.advance(20);
    vi.spyOn(link.relay, "hasRoom").mockImplementation(broken);
    stage.scheduler.advance(3000);
    expect(stage.settings.counters.faults.timer).toBeGreaterThan(0);
    expectContained(stage, player, other, lines);
  });

  test("of the relay itself is counted and logged", () => {
    const { lines, log } = recorded();
    const stage = new VirtualRegistry({ log });
    stage.settings.scheduler.after(10, broken);
    stage.settings.scheduler.every(10, broken);
    stage.scheduler.advance(50);
    expect(stage.settings.counters.faults.timer).toBe(6);
    expect(lines).toHaveLength(1);
  });
});

describe("an authority that throws", () => {
  const actions = {
    dropped: ({ link }: Led) => link.relay.close(CloseCode.timeout, "cut"),
    returned: ({ link }: Led) => link.relay.close(CloseCode.timeout, "cut"),
    left: ({ player }: Led) => player.tell({ type: "leave" }),
    close: ({ player }: Led) => player.tell({ type: "leave" }),
    draining: ({ stage }: Led) => stage.registry.drain(1000),
    join: () => undefined,
  };

  test.each(Object.keys(actions) as (keyof typeof actions)[])(
    "in %s ends its room; others go on",
    async (method) => {
      const { lines, log } = recorded();
      const faulty = authorityOf({ [method]: broken });
      const stage = new VirtualRegistry({ log, rooms: { race: {}, led: { authority: faulty } } });
      const other = stage.join().player;
      const led = await joinLed(stage);
      actions[method](led);
      await turns(stage);
      if (method === "returned") stage.resume(led.player);
      await turns(stage);
      expect(stage.settings.counters.faults.room).toBeGreaterThan(0);
      expect(stage.registry.rooms.size).toBe(1);
      expect(lines.length).toBeGreaterThan(0);
      expect(other.close).toBeUndefined();
    },
  );

  test("in open or authorize gives no seat and leaves no room", async () => {
    for (const method of ["open", "authorize"]) {
      const faulty = authorityOf({ [method]: broken });
      const stage = new VirtualRegistry({ rooms: { race: {}, led: { authority: faulty } } });
      const seat = await ledSeat(stage).catch((error: unknown) => error);
      expect(seat).not.toHaveProperty("ticket");
      expect(stage.registry.rooms.size).toBe(0);
      expect(stage.join().player.close).toBeUndefined();
    }
  });
});

test("a log that throws harms nobody", () => {
  const log: Log = { error: broken, warn: broken, info: broken, debug: broken, trace: broken };
  const stage = new VirtualRegistry({ log });
  const { player, link } = stage.join();
  vi.spyOn(link.relay, "send").mockImplementation(broken);
  stage.scheduler.advance(3000);
  expect(player.close?.code).toBe(CloseCode.internalError);
  expect(stage.join().player.welcome.number).toBe(1);
});

async function turns(stage: VirtualRegistry): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    stage.scheduler.advance(50);
    await new Promise(setImmediate);
  }
}

function ledSeat(stage: VirtualRegistry): Promise<Seat | MatchRefusal> {
  const request = { method: "create", target: "led", options: {}, webrtc: false, token: "" } as const;
  return stage.registry.match(request, { address: "", headers: {} });
}

interface Led {
  readonly stage: VirtualRegistry;
  readonly player: Player;
  readonly link: VirtualLink;
}

/** Joins a player to a room with an authority. */
async function joinLed(stage: VirtualRegistry): Promise<Led> {
  const { ticket } = (await ledSeat(stage)) as Seat;
  const link = stage.link();
  const player = new Player(stage.scheduler);
  stage.registry.admit(new AdmittedLink(link.relay), ticket);
  player.attach(link.player);
  await turns(stage);
  return { stage, player, link };
}

/** Answers an event of a participant with a state. */
function sendState({ session }: Participant): void {
  session.sendState(Uint8Array.of(1));
}

type Faults = Partial<
  Omit<RoomAuthority & RoomCallbacks & ParticipantCallbacks, "filterBy" | "info" | "tick">
>;

/** Returns an authority that admits everybody and fails at the given calls. */
function authorityOf(faults: Faults, onEvent?: (participant: Participant) => void): RoomAuthority {
  const admitting = authority({
    room: faults,
    player: (participant) => ({ receiveEvent: () => onEvent?.(participant), ...faults }),
  });
  return { ...admitting, ...faults };
}
