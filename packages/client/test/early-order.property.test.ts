/** What a server sends before the room of its welcome exists: the room takes all of it, in order and once. */
import { array, assert, asyncProperty, boolean, constantFrom, record } from "fast-check";
import { beforeAll, describe, test, expect } from "vitest";
import { CloseCode, type PeerInfo } from "@paceline/protocol";
import { FirstAttempt } from "../src/connection/first-attempt.js";
import { checkedCall } from "../src/connection/match-request.js";
import { doors } from "../src/doors/doors.js";
import type { ModeCode, RoomMode } from "../src/modes/room-mode.js";
import { RoomJoin } from "../src/room/room-join.js";
import { ScriptedServer, welcomeOf, type ScriptedLink } from "./scripted-server.js";

/** Numbers of packets: content for the game, and news of peers. */
interface Sent {
  readonly game: number[];
  readonly peers: number[];
}

const RUNS = 60;

const packets = array(
  record({
    kind: constantFrom("message", "event", "state", "peer"),
    /** True if time passes after it. */
    isAlone: boolean(),
  }),
  { maxLength: 8 },
);
type Packets = readonly {
  readonly kind: "message" | "event" | "state" | "peer";
  readonly isAlone: boolean;
}[];

const unused = (): never => {
  throw new Error("the test does not use it");
};

/** A mode that notes what it takes. */
function recorder(taken: Sent): RoomMode {
  const note = ([content]: Uint8Array): boolean => taken.game.push(content!) > 0;
  return {
    ...{ server: undefined, peers: [], pairs: [], steps: undefined, limits: {}, publishesSteps: false },
    ...{ neededDelayMs: undefined, shownTick: 0, unacknowledged: 0, isIdle: true },
    ...{ soleWriter: () => undefined, end: () => undefined, planChanged: () => undefined },
    ...{ use: () => undefined, entities: () => [], play: () => false, replicate: () => undefined },
    ...{ spawned: unused, despawned: unused, teleported: unused, input: unused, predict: unused },
    ...{ post: unused, sendEvent: unused, request: unused, takeSlot: unused },
    ...{ left: unused, away: unused, back: unused },
    joined: ({ number }: PeerInfo) => void taken.peers.push(number),
    receive: (payload) => note(payload.subarray(1)),
    receiveEvent: (body) => note(body),
    receiveState: (body) => void note(body),
  };
}

// A return goes by HTTP; in virtual time no code arrives.
beforeAll(() => doors.seats.open());

class Scenario {
  readonly server = new ScriptedServer();
  readonly modes: Sent[] = [];
  sent: Sent = { game: [], peers: [] };
  readonly join: RoomJoin;
  codeArrives!: () => void;
  #next = 2;

  constructor() {
    const { scheduler, webSocket } = this.server;
    const modes = this.modes;
    function Mode(): RoomMode {
      const taken: Sent = { game: [], peers: [] };
      modes.push(taken);
      return recorder(taken);
    }
    const code = { Mode } as unknown as ModeCode;
    const arrival = new Promise<ModeCode>((resolve) => (this.codeArrives = () => resolve(code)));
    const door = {
      code: undefined,
      open: () => arrival,
      openWhile: () => arrival,
      prefetch: () => undefined,
    };
    const parts = {
      ...{ serverUrl: "http://scripted.example", call: checkedCall("joinOrCreate", "race") },
      ...{ scheduler, webSocket, page: undefined, doors: { ...doors, mesh: door } },
    };
    this.join = new RoomJoin({
      ...parts,
      ...{ profile: "racing", transports: ["websocket"], newLink: undefined, sockets: 1 },
      ...{ tickHz: 60, isStepped: false, onBuild: () => undefined },
      first: new FirstAttempt({ ...parts, webrtc: false }),
    });
  }

  /** Sends packets with the next numbers. */
  async send(link: ScriptedLink, packets: Packets): Promise<void> {
    for (const { kind, isAlone } of packets) {
      const number = this.#next++;
      if (kind === "peer") link.tell({ type: "joined", peer: { number, id: `p${number}`, webrtc: false } });
      else link[kind](number);
      this.sent[kind === "peer" ? "peers" : "game"].push(number);
      if (isAlone) await this.server.advance(20);
    }
    await this.server.advance(50);
  }

  /** Returns what was sent since the last call. */
  takeSent(): Sent {
    const { sent } = this;
    this.sent = { game: [], peers: [] };
    return sent;
  }
}

describe("what a server sends while its newcomer waits for the room", () => {
  test("reaches the room in order, each once, wherever the welcome and the code of the mode come", () =>
    assert(
      asyncProperty(packets, packets, packets, async (early, late, after) => {
        const scenario = new Scenario();
        const { server, modes, sent } = scenario;
        const joining = scenario.join.room();
        const link = await server.connection(1);
        await scenario.send(link, early);
        link.tell(welcomeOf(1));
        await scenario.send(link, late);
        expect(modes).toEqual([]);
        scenario.codeArrives();
        const room = await joining;
        await server.advance(20);
        await scenario.send(link, after);
        expect(modes).toMatchObject([sent]);
        void room.leave();
        await server.advance(50);
      }),
      { numRuns: RUNS },
    ));

  test("reaches the room of a return alike, and nothing of a session that got no welcome", () =>
    assert(
      asyncProperty(packets, packets, packets, packets, async (before, stale, early, late) => {
        const scenario = new Scenario();
        const { server, modes } = scenario;
        scenario.codeArrives();
        const joining = scenario.join.room();
        const first = await server.connection(1);
        first.tell(welcomeOf(1));
        await server.advance(50);
        const room = await joining;
        await scenario.send(first, before);
        const sentBefore = scenario.takeSent();
        first.end(CloseCode.sessionUnknown);
        const lost = await server.connection(2);
        await scenario.send(lost, stale);
        lost.cut();
        const last = await server.connection(3);
        scenario.takeSent();
        await scenario.send(last, early);
        last.tell(welcomeOf(2));
        await scenario.send(last, late);
        expect(modes).toMatchObject([sentBefore, scenario.takeSent()]);
        void room.leave();
        await server.advance(50);
      }),
      { numRuns: RUNS },
    ));
});
