import type { Room } from "@paceline/client";
import {
  CloseCode,
  PROTOCOL_VERSION,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  limits,
  planState,
  readServerMessage,
  writeControl,
  writeSlot,
  writeWholeState,
  type ClientMessage,
  type EntityDefinition,
  type ServerMessage,
} from "@paceline/protocol";
import { seededRandom, virtualSocketPair, type VirtualSocket } from "@paceline/testkit";
import { Session, WebSocketLink } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";
import { Lamp, Sled, drive, expectSame, seenBy, type Seen } from "./seen-states.js";

const TICK_MS = 15;
const TICKS = 240;
const DELAY_MS = 15;

/** A member that writes its side of the protocol by hand: what it says to the relay, and its links. */
class RawMember {
  readonly #stage: RelayStage;
  readonly session: Session;
  readonly sockets: VirtualSocket[] = [];
  /** Codes with which the relay closed sockets. */
  readonly closes: number[] = [];
  readonly resumed: string[] = [];
  welcome: Extract<ServerMessage, { type: "welcome" }> | undefined;

  constructor(stage: RelayStage) {
    this.#stage = stage;
    this.session = new Session({
      scheduler: stage.scheduler,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onRouted: () => undefined,
        onClosed: () => undefined,
      },
    });
  }

  /** Joins a room, and waits for its welcome. */
  async join(): Promise<this> {
    const wish = { version: PROTOCOL_VERSION, method: "joinOrCreate", target: "race", options: {} };
    this.attach(this.connect(`join.${Buffer.from(JSON.stringify(wish)).toString("base64url")}`));
    for (let step = 0; step < 100 && !this.welcome; step++) await this.#stage.advance(5);
    return this;
  }

  /** Opens a socket to the relay with a credential. */
  connect(credential: string): WebSocketLink {
    const { scheduler, relay } = this.#stage;
    const { player, server } = virtualSocketPair({
      scheduler,
      random: seededRandom(this.sockets.length + 1),
      settings: { delayMs: DELAY_MS },
    });
    this.sockets.push(player);
    player.addEventListener("close", ({ code }: { readonly code: number }) => this.closes.push(code));
    relay.takeLink(new WebSocketLink(server, { scheduler }), {
      address: "raw",
      protocols: [WEBSOCKET_PROTOCOL, credential],
    });
    return new WebSocketLink(player, { scheduler });
  }

  attach(link: WebSocketLink): void {
    const times = { connectTimeoutMs: 5000, timeoutMs: 60_000, heartbeatMs: 1000 };
    this.session.attach(link, { preference: 1, needsProof: false, ...times });
  }

  /** Goes on with the session over a new link, with the newest token. */
  resume(): void {
    const { sessionId, resumeToken } = this.welcome!;
    this.attach(this.connect(`resume.${sessionId}.${this.resumed.at(-1) ?? resumeToken}`));
  }

  tell(message: ClientMessage): void {
    if (!this.session.isClosed && this.session.commands.length < 900)
      this.session.sendReliable(writeControl(message));
  }

  #receive(payload: Uint8Array): void {
    const message = payload[0] === PayloadKind.control ? readServerMessage(payload.subarray(1)) : undefined;
    if (message?.type === "welcome") this.welcome = message;
    if (message?.type === "resumed") this.resumed.push(message.resumeToken);
  }
}

type Attack = (member: RawMember, tick: number) => void;

/** Returns what newcomers are given of a sled and a lamp at other places than the owner's. */
function forgedSlots(tick: number, localId = 0): Uint8Array[] {
  return [Sled, Lamp].map((kind, stream) => {
    const definition = kind as unknown as EntityDefinition;
    const plan = planState(definition, { tickHz: 60, hasRates: true });
    const body = writeWholeState(plan, localId, new Float64Array(definition.components.length).fill(0.5));
    const at = Uint8Array.of(tick & 0xff, tick >> 8, 0, 0);
    const { name, schemaHash } = definition;
    const start = { stream, name, tickHz: 60, schemaHash };
    return writeSlot({ start, states: Uint8Array.of(...at, ...body) });
  });
}

const attacks: Record<string, Attack> = {
  "resumes its session at every fifth tick": (member, tick) => {
    if (tick % 5 === 0) member.resume();
  },
  "resumes with the same token over three links at once": (member, tick) => {
    if (tick % 20 === 0) for (let count = 0; count < 3; count++) member.resume();
  },
  "breaks its link, and is back a moment later": (member, tick) => {
    if (tick % 24 === 0) member.sockets.at(-1)!.close(1001, "gone");
    if (tick % 24 === 12) member.resume();
  },
  "resumes the sessions of the others with tokens that it makes up": (member, tick) => {
    for (const { id } of member.welcome!.peers) {
      member.connect(`resume.${id}.${member.welcome!.resumeToken}`);
      member.connect(`resume.${id}.${Buffer.alloc(24, tick).toString("base64url")}`);
    }
  },
  "asks for the others' seats": (member, tick) => {
    const [peer] = member.welcome!.peers;
    const seat = { session: peer!.id, token: member.welcome!.token, ifAway: tick % 2 === 0 };
    const wish = { version: PROTOCOL_VERSION, method: "join", target: "race", options: {}, seat };
    if (tick % 40 === 0) member.connect(`join.${Buffer.from(JSON.stringify(wish)).toString("base64url")}`);
  },
  "leaves with the relay what is no states": (member, tick) => {
    member.tell({ type: "slot", stream: tick % 3, state: new Uint8Array(1 + (tick % 200)).fill(tick) });
  },
  "leaves with the relay the most that it keeps, again and again": (member, tick) => {
    member.tell({ type: "slot", stream: tick % 3, state: new Uint8Array(limits.slotBytes).fill(tick) });
    member.tell({ type: "slot", stream: 0, state: new Uint8Array(limits.slotBytes + 1) });
    member.tell({ type: "slot", stream: 1, state: new Uint8Array(0) });
  },
  "leaves with the relay states of the owner's names, numbers and ids": (member, tick) => {
    if (tick % 10 !== 0) return;
    for (const [stream, state] of forgedSlots(60 * 1000 + tick).entries())
      member.tell({ type: "slot", stream, state });
  },
  "leaves with the relay states of streams that replace each other": (member, tick) => {
    // All announce the streams 0 and 1, whatever their own number is.
    const slots = [0, 1, 2].flatMap((localId) => forgedSlots(tick, localId));
    for (const [stream, state] of slots.entries()) member.tell({ type: "slot", stream, state });
  },
  "signals to all, of epochs that never began": (member, tick) => {
    for (const to of [0, ...member.welcome!.peers.map(({ number }) => number)])
      member.tell({
        type: "signal",
        to,
        attempt: tick & 0xffff,
        data: { type: "offer", sdp: "x", epoch: 7 },
      });
  },
  "has WebRTC and has not; is hidden and is not": (member, tick) => {
    member.tell({ type: "capabilities", webrtc: tick % 2 === 0 });
    member.tell({ type: "visibility", hidden: tick % 2 === 0 });
  },
  "asks for stripes": (member) => member.tell({ type: "stripe" }),
  leaves: (member, tick) => {
    if (tick === 30) member.tell({ type: "leave" });
  },
};

interface Watched {
  readonly honest: Seen[];
  readonly newcomer: Seen[];
  /** The owners of the sleds that the newcomer has with its welcome. */
  readonly given: readonly (number | undefined)[];
  readonly member: RawMember;
}

/** Returns the owner's entities as an honest member and a newcomer see them, while the raw member attacks. */
async function witness(attack: Attack): Promise<Watched> {
  const stage = new RelayStage({ delayMs: DELAY_MS });
  const [owner, honest] = [await stage.join(), await stage.join()];
  const member = await new RawMember(stage).join();
  expect(member.welcome!.peers).toHaveLength(2);
  const [sled, lamp] = [owner.spawn(Sled), owner.spawn(Lamp)];
  seenBy(honest, owner);
  await stage.advance(1200);
  const seen = { honest: [] as Seen[], newcomer: [] as Seen[] };
  let newcomer: Room | undefined;
  let given: Watched["given"] = [];
  for (let tick = 1; tick <= TICKS; tick++) {
    drive(sled, lamp, tick);
    attack(member, tick);
    owner.advance();
    await stage.advance(TICK_MS);
    seen.honest.push(seenBy(honest, owner));
    if (newcomer) seen.newcomer.push(seenBy(newcomer, owner));
    if (tick !== TICKS / 2) continue;
    newcomer = await stage.join();
    given = [...newcomer.entities(Sled)].map((sled) => sled.owner?.number);
    seenBy(newcomer, owner);
    await stage.advance(300);
  }
  expect([owner.state, honest.state]).toEqual(["joined", "joined"]);
  return { ...seen, given, member };
}

const quiet = witness(() => undefined);

describe("one member that lies to the relay", () => {
  test.each(Object.entries(attacks))(
    "changes no state that the others and a newcomer read, and delays none by a period: %s",
    { timeout: 600_000 },
    async (_, attack) => {
      const [usual, attacked] = [await quiet, await witness(attack)];
      expectSame(attacked.honest, usual.honest);
      expectSame(attacked.newcomer, usual.newcomer);
      expect(new Set(usual.honest.map(({ sled }) => sled?.[0])).size).toBeGreaterThan(TICKS / 8);
      expect(attacked.newcomer.at(-1)!.lamp).toBeDefined();
    },
  );

  test("is heard: it resumes its session, and the relay gives a newcomer what it left", async () => {
    const { member: flapping } = await witness(attacks["resumes its session at every fifth tick"]!);
    expect(flapping.resumed.length).toBeGreaterThan(20);
    expect(new Set(flapping.closes)).toEqual(new Set([CloseCode.replaced]));
    const forged = attacks["leaves with the relay states of the owner's names, numbers and ids"]!;
    const { member, given } = await witness(forged);
    expect(given).toContain(member.welcome!.number);
    expect((await quiet).given).toHaveLength(1);
  });

  test("is refused the sessions of others", async () => {
    const guesses = attacks["resumes the sessions of the others with tokens that it makes up"]!;
    const { member } = await witness(guesses);
    expect(member.closes.length).toBeGreaterThanOrEqual(4 * (TICKS - 10));
    expect(new Set(member.closes)).toEqual(new Set([CloseCode.refused]));
  });
});
