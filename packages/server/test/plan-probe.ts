import { setImmediate as nextTurn } from "node:timers/promises";
import { MessageKind, readMessages, readPacket } from "@paceline/protocol";
import { silentLog } from "@paceline/relay";
import { angle, type Explanation, type Peer, type Room as ClientRoom } from "@paceline/client";
import { LockstepSession } from "@paceline/client/lockstep";
import { defineEntity, defineInput, defineServer, Room, scalar, vec2, type Player } from "@paceline/server";
import { seededRandom, VirtualScheduler } from "@paceline/testkit";
import { StagePlayer, virtualWebRtc, preloadRooms } from "@paceline/testkit/room";
import {
  type Link,
  type Plan,
  type ProfileChoice,
  profileOf,
  type Topology,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import type { NetworkSettings } from "@paceline/transport/simulated";
import { vi } from "vitest";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

// Plays a room on a simulated network for some virtual seconds, and records what is delivered. Tests compare
// the claims of `explain()` with the recording. A change of the decision tree must change it.

/** The room, network and players of one play. */
export interface ProbeCell {
  readonly profile: ProfileChoice;
  readonly topology: Topology;
  /** Network of each direction between two players. The delay to the server is half of it. */
  readonly network?: Partial<NetworkSettings>;
  /** Number of players in a room without an authority. Default 2. */
  readonly players?: number;
  /** Number of players that allow WebRTC, in the order of joining. Default: all. */
  readonly webRtcPlayers?: number;
  /** True if the server supports WebRTC. Default: false. */
  readonly serverHasWebRtc?: boolean;
  /** Time that cars move before messages begin, ms. Measurements count after three seconds. Default 6000. */
  readonly warmUpMs?: number;
  /** Time after this in which cars move on and no link may change, ms. Default 0. */
  readonly watchMs?: number;
  /** True if the play ends when the cars stand. Default: false. */
  readonly isShort?: boolean;
  /** Protocol by which the players' page was loaded. Default: there is no page. */
  readonly page?: "https:";
  /** Bytes of messages of a class per second of the drive, to fill a queue. Default: none. */
  readonly fillBytesPerSecond?: Readonly<Partial<Record<FillClass, number>>>;
  /** Time that these messages are sent, ms. Default: the whole drive. */
  readonly fillMs?: number;
  /** Number of sheep that hop about during the drive, to fill the budget of states. Default 0. */
  readonly sheep?: number;
  /** The room's own limit of states for each player, bytes per second. Default: the server's. */
  readonly roomBytesPerSecond?: number;
  /** True if the player of an authority sends inputs. Default: false. */
  readonly hasInputs?: boolean;
  /** True if players without an authority also run a match in lockstep. Default: false. */
  readonly hasLockstep?: boolean;
}

/** Traffic classes that a game's messages may have. */
const fillClasses = ["command", "event", "bulk"] as const;
type FillClass = (typeof fillClasses)[number];

/** A packet that a player gave to a WebRTC link. */
export interface SentPacket {
  readonly atMs: number;
  readonly trafficClass: string;
  readonly bytes: number;
}

export interface Arrival<Value = number> {
  readonly atMs: number;
  readonly value: Value;
}

/** What the probe saw on the wire and at the receivers. The same cell gives the same recording. */
interface Recording {
  readonly commands: readonly Arrival[];
  readonly events: readonly Arrival[];
  /** Arrived positions of a car: while it moved, while it stood, and during small jumps. */
  readonly moving: readonly Arrival[];
  readonly jumps: readonly Arrival<string>[];
  /** Arrived states of all sheep. */
  readonly sheep: readonly Arrival[];
  /** Inputs, at the times when the authority executed them. */
  readonly inputs: readonly Arrival[];
  /**
   * Commands of the lockstep match with the turn length, ms, at the times when the second player executed
   * them.
   */
  readonly turns: readonly Arrival<string>[];
  /** Shown position of the car, at every twentieth observation. */
  readonly shown: readonly Arrival[];
  /** Messages that fill a queue, at the times of their arrival. */
  readonly fills: readonly SentPacket[];
  /** Packets that the first player sent over WebRTC, to the other players and to the server. */
  readonly direct: readonly SentPacket[];
  readonly server: readonly SentPacket[];
  /** Each second: the bytes that the first player has received from the server, with the heads of UDP and IP. */
  readonly down: readonly Pick<SentPacket, "atMs" | "bytes">[];
  /** Each second: the bytes that the first player has sent over all its links. */
  readonly up: readonly Pick<SentPacket, "atMs" | "bytes">[];
  /**
   * The first player's link of states to the server, its number of sockets, its paths to the others, and the
   * number of WebRTC links that it has ever made, whenever one of these has changed.
   */
  readonly links: readonly Arrival<string>[];
  /**
   * Each second: packets and bytes of all sockets to the server, the number of open ones, and the first
   * player's paths.
   */
  readonly sockets: readonly string[];
}

/** A recording, and the room's explanation of itself after the last message. */
export interface Probe {
  readonly recording: Recording;
  /** Start times of the recording's phases, ms. */
  readonly times: {
    readonly watchMs: number;
    readonly messagesMs: number;
    readonly standMs: number;
    readonly jumpsMs: number;
    readonly cutMs: number;
  };
  readonly sent: number;
  readonly tickHz: number;
  readonly explained: readonly Explanation[];
  /** Open sockets of the first player at the time of the explanation. */
  readonly openSockets: number;
  readonly plan: Plan;
  /** Each different plan of any player. */
  readonly plans: readonly Plan[];
  readonly peers: readonly Pick<Peer, "path">[];
}

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
  },
  { motion: "velocity" },
);

/**
 * An entity that stands where the game puts it. It is sent if it moves farther than a share of the
 * thresholds.
 */
const Post = defineEntity(
  "post",
  {
    position: vec2({ range: [-64, 64], precision: 0.0005, unit: "m" }),
    heading: angle({ precision: 0.0002, unit: "rad" }),
  },
  { motion: "velocity", show: "interpolate" },
);

/** Its next place is never predicted. */
const Sheep = defineEntity("sheep", { position: vec2({ range: [-64, 64], precision: 0.01, unit: "m" }) });

const Steering = defineInput({ steer: scalar({ range: [0, 1000], precision: 1 }) });

const STEP_MS = 5;
const WATCH_STEP_MS = 50;
const UDP_HEAD_BYTES = 28;
const MESSAGES = 40;
const MESSAGE_PERIOD_MS = 15;
export const JUMP_PERIOD_MS = 400;
/** Jumps around a tenth of the thresholds, from which an interpolated entity counts as moved. */
export const JUMPS_M: readonly number[] = [0.0065, 0.0095, 0.0135, 0.02, 0.029, 0.042, 0.06];
export const TURNS_RAD: readonly number[] = [0.0021, 0.003, 0.0041, 0.006, 0.009, 0.013, 0.02, 0.029, 0.0135];
/** Speed of the car whose player is cut off. */
export const STRAIGHT_MPS = 20;

class DecidedRoom extends Room {
  override readonly entities = [Car, Post, Sheep];
  override readonly inputs = Steering;
  override readonly tickHz = 60;
  static heard: (type: string, value: number) => void;
  static place: () => { readonly x: number; readonly heading: number };
  static sheep = 0;
  static hop: (flock: Iterable<{ position: { set(x: number, y: number): void } }>) => void;
  static post: { position: { set(x: number, y: number): void }; heading: number };
  readonly #cars: { position: { set(x: number, y: number): void }; heading: number }[] = [];
  readonly #flock: { position: { set(x: number, y: number): void } }[] = [];

  override onCreate(): void {
    DecidedRoom.post = this.spawn(Post);
    while (this.#flock.length < DecidedRoom.sheep) this.#flock.push(this.spawn(Sheep));
    for (const type of ["command", "event"])
      this.onMessage(type as never, (_: Player, value: unknown) => DecidedRoom.heard(type, value as number));
    this.onMessage("fill" as never, () => undefined);
  }

  override onJoin(player: Player): void {
    this.#cars.push(this.spawn(Car, {}, player));
  }

  override onTick(): void {
    const { x, heading } = DecidedRoom.place();
    for (const { input } of this.players.values() as Iterable<Player<typeof Steering>>)
      DecidedRoom.heard("input", input.steer);
    DecidedRoom.hop(this.#flock);
    for (const car of this.#cars) {
      car.position.set(x, 0);
      car.heading = heading;
    }
  }
}

/** Plays a cell. Simulated WebRTC replaces the server's native one. */
export async function probe(cell: ProbeCell): Promise<Probe> {
  const chance = seededRandom(7);
  const spies = [vi.spyOn(Math, "random").mockImplementation(() => chance.next())];
  const { page } = cell;
  if (page !== undefined) vi.stubGlobal("location", { protocol: page });
  const play = new Play(cell);
  try {
    return await play.run();
  } finally {
    await play.stop();
    if (page !== undefined) vi.unstubAllGlobals();
    for (const spy of spies) spy.mockRestore();
  }
}

class Play {
  readonly #cell: ProbeCell;
  readonly #scheduler = new VirtualScheduler({ startMs: 1000 });
  readonly #random = seededRandom(3);
  readonly #players: StagePlayer[] = [];
  readonly #accepted: Link[] = [];
  readonly #server;
  readonly #plans = new Map<string, Plan>();
  readonly #direct: SentPacket[] = [];
  readonly #toServer: SentPacket[] = [];
  readonly #myLinks: Link[] = [];
  #received = 0;
  readonly #down: Pick<SentPacket, "atMs" | "bytes">[] = [];
  #sent = 0;
  readonly #up: Pick<SentPacket, "atMs" | "bytes">[] = [];
  readonly #links: Arrival<string>[] = [];
  /** Numbers of the offers that the server has answered. */
  readonly #served = new Set<number>();
  readonly #restore: (() => void)[] = [];
  readonly #commands: Arrival[] = [];
  readonly #events: Arrival[] = [];
  readonly #moving: Arrival[] = [];
  readonly #jumps: Arrival<string>[] = [];
  readonly #inputs: Arrival[] = [];
  readonly #turns: Arrival<string>[] = [];
  readonly #matches: LockstepSession<number>[] = [];
  readonly #shown: Arrival[] = [];
  readonly #fills: SentPacket[] = [];
  readonly #sheep: Arrival[] = [];
  readonly #flock: { position: { set(x: number, y: number): void } }[] = [];
  readonly #seenSheep = new Map<number, number>();
  readonly #hops = seededRandom(5);
  #post: { position: { set(x: number, y: number): void }; heading: number } | undefined;
  #seenPost = "";
  readonly #sockets: string[] = [];
  #place = { x: 0, heading: 0 };
  readonly #cars: { position: { set(x: number, y: number): void }; heading: number }[] = [];
  #seen = "";
  #step = 0;
  #isOver = false;

  constructor(cell: ProbeCell) {
    this.#cell = cell;
    const scheduler = this.#scheduler;
    const network = { ...cell.network };
    // In a mesh WebRTC links lead to other players, else to the server, at half the delay.
    const settings = cell.topology === "mesh" ? network : halfWay(network);
    this.#maker = virtualWebRtc({ random: this.#random.fork(), settings });
    if (cell.serverHasWebRtc === true) {
      const onOffer = (offer: number): void => void this.#served.add(offer);
      this.#restore.push(serveVirtualWebRtc(this.#maker, scheduler, onOffer));
    }
    DecidedRoom.heard = (type, value) => this.#hear(type, value);
    DecidedRoom.place = () => this.#place;
    DecidedRoom.sheep = cell.sheep ?? 0;
    DecidedRoom.hop = (flock) => this.#hop(flock);
    const { roomBytesPerSecond = 131_072 } = cell;
    class LimitedRoom extends DecidedRoom {
      override readonly stateBytesPerSecond = roomBytesPerSecond;
    }
    this.#server = defineServer({
      scheduler,
      wallClockMs: () => scheduler.nowMs(),
      log: silentLog,
      rooms: { decided: LimitedRoom, players: { maxPlayers: 16 } },
    });
  }

  /** The link maker of all players. The server answers with it too. */
  readonly #maker: WebRtcLinkMaker;

  async run(): Promise<Probe> {
    const { warmUpMs = 6000, watchMs = 0, isShort = false } = this.#cell;
    const mine = await this.#enter();
    await this.#drive(mine, warmUpMs);
    const beganMs = this.#scheduler.nowMs();
    await this.#watch(watchMs);
    const messagesMs = this.#scheduler.nowMs();
    await this.#talk(mine);
    const standMs = this.#scheduler.nowMs();
    const explained = await mine.transport.explain();
    const openSockets = this.#myLinks.filter(
      ({ kind, state }) => kind === "websocket" && state === "open",
    ).length;
    const { plan } = mine.transport;
    const peers = mine.peers.map(({ path }) => ({ path }));
    await this.#advance(1500);
    if (!isShort) await this.#advance(Math.min(3200, plan.numbers.heartbeatMs * 2.2));
    const jumpsMs = this.#scheduler.nowMs();
    if (!isShort) {
      await this.#jump();
      await this.#sway();
    }
    const cutMs = isShort ? jumpsMs : await this.#vanish(mine);
    return {
      recording: this.#recording,
      times: { watchMs: beganMs, messagesMs, standMs, jumpsMs, cutMs },
      sent: MESSAGES,
      tickHz: profileOf(this.#cell.profile).tickHz,
      explained,
      openSockets,
      plan,
      plans: [...this.#plans.values()],
      peers,
    };
  }

  /** Joins all players, and spawns what they move. Returns the first player's room. */
  async #enter(): Promise<ClientRoom> {
    const { topology, players = 2, sheep = 0, hasLockstep = false } = this.#cell;
    const count = topology === "authority" ? 1 : players;
    while (this.#players.length < count) await this.#join();
    const [mine, theirs] = this.#rooms as [ClientRoom, ClientRoom?];
    if (theirs) this.#listen(theirs);
    for (const room of this.#rooms)
      void [...room.entities(Car), ...room.entities(Post), ...room.entities(Sheep)];
    await this.#advance(1000);
    if (topology === "authority") {
      this.#post = DecidedRoom.post;
      return mine;
    }
    for (const room of this.#rooms) this.#cars.push(room.spawn(Car));
    this.#post = mine.spawn(Post);
    while (this.#flock.length < sheep) this.#flock.push(mine.spawn(Sheep));
    if (hasLockstep) this.#match();
    return mine;
  }

  #listen(room: ClientRoom): void {
    room.onMessage("command", (value) => this.#hear("command", value as number));
    room.onMessage("event", (value) => this.#hear("event", value as number));
    for (const trafficClass of fillClasses)
      room.onMessage(fillType(trafficClass), (value) =>
        this.#fills.push({ atMs: this.#scheduler.nowMs(), trafficClass, bytes: (value as string).length }),
      );
  }

  get #recording(): Recording {
    return {
      commands: this.#commands,
      events: this.#events,
      moving: this.#moving,
      jumps: this.#jumps,
      sheep: this.#sheep,
      inputs: this.#inputs,
      turns: this.#turns,
      shown: this.#shown,
      fills: this.#fills,
      direct: this.#direct,
      server: this.#toServer,
      down: this.#down,
      up: this.#up,
      links: this.#links,
      sockets: this.#sockets,
    };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const room of this.#rooms) room.leave();
    await this.#advance(50);
    const stopped = this.#server.stop({ drainMs: 10 });
    await this.#advance(50);
    await stopped;
    for (const restore of this.#restore) restore();
  }

  get #rooms(): ClientRoom[] {
    return this.#players.map(({ room }) => room);
  }

  async #join(): Promise<void> {
    const { topology, network = {}, webRtcPlayers = Infinity } = this.#cell;
    const isFirst = this.#players.length === 0;
    const hasWebRtc = this.#players.length < webRtcPlayers;
    const player = new StagePlayer({
      scheduler: this.#scheduler,
      random: this.#random.fork(),
      network: halfWay(network),
      sockets: "auto",
      client: {
        // All players have the maker, so only the plan can keep one from using it.
        profile: profileIn(this.#cell),
        transports: hasWebRtc ? ["websocket", "webrtc"] : ["websocket"],
        webRtc: this.#noting(isFirst),
      },
      accept: (link, protocols) => {
        this.#accepted.push(link);
        this.#server.takeLink(link, { address: "stage", protocols });
      },
    });
    // Load all code first: code that arrives in real time would start the room at another virtual time in
    // each run.
    await preloadRooms();
    let room: ClientRoom | undefined;
    const name = topology === "authority" ? "decided" : "players";
    const joining = player.client.joinOrCreate(name).then((joined) => (room = joined));
    for (let step = 0; step < 400 && !room; step++) await this.#advance(STEP_MS);
    const joined = await joining;
    player.enter(joined);
    if (isFirst) joined.transport.onLink((link) => this.#myLinks.push(link));
    this.#players.push(player);
  }

  /** Returns a link maker that notes the packets which a player sends over WebRTC. */
  #noting(isNoted: boolean): WebRtcLinkMaker {
    return (options) => {
      let offer: number | undefined;
      const onSignal = (data: unknown): void => {
        offer = (data as { readonly offer?: number }).offer ?? offer;
        options.onSignal(data);
      };
      const link = this.#maker({ ...options, onSignal });
      if (!isNoted) return link;
      const send = link.send.bind(link);
      link.send = (trafficClass, packet, key) => {
        const to = offer !== undefined && this.#served.has(offer) ? this.#toServer : this.#direct;
        // Pings take the channel of states but are not states.
        if (!isPing(packet)) to.push({ atMs: this.#scheduler.nowMs(), trafficClass, bytes: packet.length });
        send(trafficClass, packet, key);
      };
      return link;
    };
  }

  /** Starts a match of all players. Its commands are those of the messages. */
  #match(): void {
    const { scheduler, players } = { scheduler: this.#scheduler, players: this.#players.length };
    for (const room of this.#rooms) {
      const isSecond = room === this.#rooms[1];
      const match: LockstepSession<number> = new LockstepSession<number>(room, {
        players,
        readCommand: (value) => (typeof value === "number" ? value : undefined),
        step: (commands) => {
          if (!isSecond) return;
          const atMs = scheduler.nowMs();
          for (const { command } of commands)
            this.#turns.push({ atMs, value: `${command} ${round(match.turnLengthMs)}` });
        },
      });
      this.#matches.push(match);
    }
  }

  async #drive(room: ClientRoom, ms: number): Promise<void> {
    const { fillBytesPerSecond, fillMs = ms, hasInputs = false } = this.#cell;
    const steps = ms / STEP_MS;
    for (let step = 0; step < steps; step++) {
      const atMs = step * STEP_MS;
      // Turn while packets wait, so slowly that the threshold of the heading decides when a state is sent.
      if (fillBytesPerSecond && atMs >= 3500 && atMs < 5500) this.#turn(atMs);
      else this.#weave();
      if (hasInputs) room.input(Steering).steer = step % 1000;
      if (fillBytesPerSecond && atMs < fillMs && step % 20 === 0) fill(room, fillBytesPerSecond);
      await this.#advance(STEP_MS);
    }
  }

  /** Drives on. Minutes pass in longer steps, because they only show if the links stay. */
  async #watch(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= WATCH_STEP_MS) {
      this.#weave();
      await this.#advance(WATCH_STEP_MS, WATCH_STEP_MS);
    }
  }

  async #talk(room: ClientRoom): Promise<void> {
    for (let value = 0; value < MESSAGES; value++) {
      room.send("command", value);
      room.sendEvent("event", value);
      this.#matches[0]?.give(value);
      for (let left = MESSAGE_PERIOD_MS; left > 0; left -= STEP_MS) {
        this.#weave();
        await this.#advance(STEP_MS);
      }
    }
  }

  async #jump(): Promise<void> {
    const post = this.#post;
    if (!post) return;
    let [x, heading] = [0, 0];
    for (const jump of JUMPS_M) {
      post.position.set((x += jump), 0);
      await this.#advance(JUMP_PERIOD_MS);
    }
    for (const turn of TURNS_RAD) {
      post.heading = heading += turn;
      await this.#advance(JUMP_PERIOD_MS);
    }
  }

  /**
   * Moves so gently that the thresholds decide how often a state is sent: first by position, then by heading.
   */
  async #sway(): Promise<void> {
    const { x, heading } = this.#place;
    for (let step = 0; step < 600; step++) {
      const seconds = (step * STEP_MS) / 1000;
      this.#put(x + 5 - 5 * Math.cos(seconds), heading);
      await this.#advance(STEP_MS);
    }
    for (let step = 0; step < 400; step++) {
      const seconds = (step * STEP_MS) / 1000;
      this.#put(this.#place.x, heading + 0.15 * seconds);
      await this.#advance(STEP_MS);
    }
  }

  /**
   * Drives straight on, then cuts the player off. Others extrapolate its car without news for a while. Returns
   * the time of the cut, ms.
   */
  async #vanish(room: ClientRoom): Promise<number> {
    for (let step = 0; step < 200; step++) {
      this.#put(this.#place.x + (STRAIGHT_MPS * STEP_MS) / 1000, this.#place.heading);
      await this.#advance(STEP_MS);
    }
    const cutMs = this.#scheduler.nowMs();
    room.transport.killDirect();
    room.transport.killServerWebRtc();
    this.#players[0]!.offline();
    await this.#advance(2500);
    return cutMs;
  }

  #turn(atMs: number): void {
    const direction = Math.floor(atMs / 700) % 2 === 0 ? 1 : -1;
    this.#put(this.#place.x, this.#place.heading + (direction * 0.15 * STEP_MS) / 1000);
  }

  #weave(): void {
    const seconds = this.#scheduler.nowMs() / 1000;
    this.#put(20 * Math.sin(seconds * 3), Math.sin(seconds * 2));
  }

  #hop(flock: Iterable<{ position: { set(x: number, y: number): void } }>): void {
    for (const { position } of flock) position.set(64 * this.#hops.next(), 64 * this.#hops.next());
  }

  #put(x: number, heading: number): void {
    this.#place = { x, heading };
    this.#hop(this.#flock);
    for (const car of this.#cars) {
      car.position.set(x, 0);
      car.heading = heading;
    }
  }

  #hear(type: string, value: number): void {
    const atMs = this.#scheduler.nowMs();
    if (type === "command") this.#commands.push({ atMs, value });
    else if (type === "event") this.#events.push({ atMs, value });
    else if (type === "input" && this.#inputs.at(-1)?.value !== value) this.#inputs.push({ atMs, value });
  }

  /** The car at the second player, or at the only player of an authority. */
  #theirCar() {
    const [mine, theirs = mine] = this.#rooms;
    for (const car of theirs?.entities(Car) ?? []) {
      if ("shown" in car && (theirs === mine || car.owner?.number === mine?.myNumber)) return car;
    }
    return undefined;
  }

  async #advance(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.#scheduler.advance(Math.min(stepMs, left));
      await nextTurn();
      if (!this.#isOver) this.#observe();
    }
  }

  #observe(): void {
    this.#step += 1;
    const atMs = this.#scheduler.nowMs();
    const car = this.#theirCar();
    if (car) {
      const now = `${round(car.position.x)} ${round(car.heading)}`;
      if (now !== this.#seen) this.#moving.push({ atMs, value: round(car.position.x) });
      this.#seen = now;
      if (this.#step % 20 === 0) this.#shown.push({ atMs, value: round(car.shown.position.x) });
    }
    const [post] = this.#rooms.at(-1)?.entities(Post) ?? [];
    const stood = post === undefined ? "" : `${post.position.x.toFixed(4)} ${post.heading.toFixed(4)}`;
    if (stood !== this.#seenPost) this.#jumps.push({ atMs, value: stood });
    this.#seenPost = stood;
    this.#observeSheep(atMs);
    if (this.#step % 50 === 0) {
      this.#noteLinks(atMs);
      for (const { transport } of this.#rooms) this.#notePlan(transport.plan);
    }
    if (this.#step % 200 !== 0) return;
    this.#countBytes(atMs);
    const links = this.#accepted.map(
      ({ state, counters }) => `${state} ${counters.packetsReceived} ${counters.bytesReceived}`,
    );
    const paths = this.#rooms[0]?.peers.map(({ path }) => path) ?? [];
    this.#sockets.push([...links, ...paths].join(", "));
  }

  #observeSheep(atMs: number): void {
    for (const { id, position } of this.#rooms.at(-1)?.entities(Sheep) ?? []) {
      if (this.#seenSheep.get(id) !== position.x) this.#sheep.push({ atMs, value: id });
      this.#seenSheep.set(id, position.x);
    }
  }

  #countBytes(atMs: number): void {
    let [received, sent] = [0, 0];
    for (const { counters } of this.#myLinks) {
      received += counters.bytesReceived + UDP_HEAD_BYTES * counters.packetsReceived;
      sent += counters.bytesSent;
    }
    this.#down.push({ atMs, bytes: received - this.#received });
    this.#up.push({ atMs, bytes: sent - this.#sent });
    [this.#received, this.#sent] = [received, sent];
  }

  #noteLinks(atMs: number): void {
    const [room] = this.#rooms;
    if (!room) return;
    const { stateLink = "none", sockets } = room.transport.server;
    const paths = room.peers.map(({ path }) => path);
    const made = this.#myLinks.filter(({ kind }) => kind === "webrtc").length;
    const value = [stateLink, sockets, ...paths, made].join(" ");
    if (value !== this.#links.at(-1)?.value) this.#links.push({ atMs, value });
  }

  #notePlan(plan: Plan): void {
    const key = JSON.stringify(plan.inputs);
    if (!this.#plans.has(key)) this.#plans.set(key, plan);
  }
}

function halfWay(network: Partial<NetworkSettings>): Partial<NetworkSettings> {
  return { ...network, delayMs: (network.delayMs ?? 0) / 2 };
}

/** Sends a tenth of a second's bytes of each class. */
function fill(room: ClientRoom, bytesPerSecond: NonNullable<ProbeCell["fillBytesPerSecond"]>): void {
  for (const trafficClass of fillClasses) {
    const type = fillType(trafficClass);
    const text = "x".repeat((bytesPerSecond[trafficClass] ?? 0) / 10);
    if (text === "") continue;
    if (trafficClass === "event") room.sendEvent(type, text);
    else room.send(type, text, { class: trafficClass });
  }
}

/** Returns the type of the messages of a class that fill a queue. */
function fillType(trafficClass: FillClass): string {
  return trafficClass === "command" ? "fill" : `fill by ${trafficClass}`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Returns the profile that the players of a cell use. */
export function profileIn({ profile, topology }: ProbeCell): ProfileChoice {
  // In a mesh the game names no topology, because some of its players may have no WebRTC.
  if (topology === "mesh") return profile;
  return typeof profile === "string" ? { base: profile, topology } : { ...profile, topology };
}

function isPing(bytes: Uint8Array): boolean {
  const packet = readPacket(bytes);
  const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
  if (typeof messages === "string" || messages.length === 0) return false;
  const probes: readonly MessageKind[] = [MessageKind.ping, MessageKind.pong, MessageKind.report];
  return messages.every(({ kind }) => probes.includes(kind));
}
