import type { OwnedEntity, Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { readEnvelope, readMessages, readPacket, MessageKind } from "@paceline/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Car } from "./definitions.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

/** Copies of runs of bytes that a test has watched; what goes byte by byte is not among them. */
class Copies {
  readonly #sources: Uint8Array[] = [];
  #isWatching = false;

  /** Notes the source of each call that copies many bytes at once, until the test ends. */
  constructor() {
    const Plain = Uint8Array;
    const bytes = Object.getPrototypeOf(Plain.prototype) as Uint8Array;
    const { set, slice, copyWithin } = bytes;
    const note = (source: unknown): void => this.#note(source);
    vi.spyOn(bytes, "set").mockImplementation(function (this: Uint8Array, source, at) {
      note(source);
      set.call(this, source, at);
    });
    vi.spyOn(bytes, "slice").mockImplementation(function (this: Uint8Array, from, to) {
      const copy = slice.call(this, from, to);
      note(copy);
      return copy;
    });
    vi.spyOn(bytes, "copyWithin").mockImplementation(function (this: Uint8Array, to, from, end) {
      note(this);
      return copyWithin.call(this, to, from, end);
    });
    const construct = (target: typeof Uint8Array, args: unknown[], made: typeof Uint8Array): Uint8Array => {
      if (ArrayBuffer.isView(args[0]) || Array.isArray(args[0])) note(args[0]);
      return Reflect.construct(target, args, made) as Uint8Array;
    };
    vi.stubGlobal("Uint8Array", new Proxy(Plain, { construct: construct as never }));
  }

  /** How often one of the copies held these bytes while `act` ran, by body. */
  during(act: () => void): void {
    this.#sources.length = 0;
    this.#isWatching = true;
    try {
      act();
    } finally {
      this.#isWatching = false;
    }
  }

  of(body: Uint8Array): number {
    const wanted = Buffer.from(body);
    return this.#sources.filter((source) => Buffer.from(source).includes(wanted)).length;
  }

  #note(source: unknown): void {
    if (!this.#isWatching || !(source instanceof Uint8Array)) return;
    this.#isWatching = false;
    this.#sources.push(Buffer.from(source));
    this.#isWatching = true;
  }
}

/** What a client has given to its sockets since it was cleared. */
const given: Uint8Array[] = [];
/** Calls of the transport on the stack at each of those: from the encoder's hand to the socket. */
const roads: string[][] = [];

function ownFrames(): string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  return stack.split("\n").filter((line) => line.includes("/packages/transport/src/"));
}

class WatchedSocket extends NodeWebSocket {
  override send(data: Uint8Array): void {
    given.push(data);
    roads.push(ownFrames());
    super.send(data);
  }
}

/** Bodies of states in a packet to the server; without the number of their stream. */
function bodiesIn(bytes: Uint8Array): Uint8Array[] {
  const envelope = readEnvelope(bytes);
  if (typeof envelope === "string") return [];
  const packet = readPacket(envelope.packet);
  const messages = typeof packet === "string" ? "none" : readMessages(packet, () => undefined);
  if (typeof messages === "string") return [];
  return messages.filter(({ kind }) => kind === MessageKind.state).map(({ body }) => body.subarray(1));
}

/** Drives until a packet with the states of one tick has left; returns how its body came to the socket. */
async function roadOfStates(
  owner: Room,
  cars: readonly OwnedEntity<typeof Car>[],
): Promise<{ copies: number; calls: readonly string[] }> {
  const copies = new Copies();
  for (let frame = 1; frame <= 200; frame++) {
    for (const [index, car] of cars.entries())
      car.position.set(frame * frame * 0.01 * (index + 1), index * frame);
    given.length = 0;
    roads.length = 0;
    copies.during(() => owner.advance());
    // A late frame sends the states of several ticks, each in a packet of its own.
    for (const [index, packet] of given.entries()) {
      const [body, ...more] = bodiesIn(packet).filter(({ length }) => length > 12);
      if (body !== undefined && more.length === 0) return { copies: copies.of(body), calls: roads[index]! };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("no states left");
}

describe("a state on its way out", () => {
  const stage = new Stage();
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ["one player", 2],
    ["several players", 4],
  ])(
    "to %s is copied at most three times, and goes through at most twelve calls of the transport",
    async (_, players) => {
      const server = await stage.server();
      const [owner, ...others] = await stage.meet(server, players, { webSocket: WatchedSocket });
      const cars = Array.from({ length: 8 }, () => owner!.spawn(Car));
      await until("all see the cars", () =>
        others.every((room) => [...room.entities(Car)].length === cars.length),
      );
      const { copies, calls } = await roadOfStates(owner!, cars);
      expect(copies).toBeLessThanOrEqual(3);
      expect(copies).toBeGreaterThan(0);
      expect(calls.slice(12)).toEqual([]);
    },
  );
});
