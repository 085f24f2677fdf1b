import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { epochMs, type CpuSample, type HonestFigures } from "./messages.js";
import { mainThreadOf } from "./main-thread.js";
import { MEMBERS } from "./cases.js";
import { CellWatcher } from "./cell-watcher.js";
import { Light, type Numbered } from "./scene.js";

const MESSAGE_PERIOD_MS = 50;
const VISIT_PERIOD_MS = 400;
const CPU_PERIOD_MS = 50;
const VISIT_LIMIT_MS = 15_000;
const SETTLE_LIMIT_MS = 15_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends numbered messages between the participants of a room, and records in the ledger which ones arrive.
 */
class Conversation {
  readonly #rooms: readonly Room[];
  readonly #ledger: Ledger;
  readonly #type: string;
  readonly #next: number[];
  padding = "";

  /**
   * `type` is the message type that receivers listen to: `said` in a room whose authority repeats each
   * message.
   */
  constructor(rooms: readonly Room[], type: "said" | "n", ledger: Ledger) {
    this.#rooms = rooms;
    this.#type = type;
    this.#ledger = ledger;
    this.#next = rooms.map(() => 1);
    for (const [to, room] of rooms.entries()) {
      room.onMessage(type, (message) => ledger.arrived(`${type} ${to}`, message as Numbered));
      room.onLeave((code) => ledger.fault(`an honest player's session ended with ${code}`));
    }
  }

  say(): void {
    for (const [from, room] of this.#rooms.entries()) {
      const number = this.#next[from]!;
      try {
        const message: Numbered = [from, number, performance.now(), this.padding];
        room.send(this.#type === "said" ? "say" : "n", message);
      } catch (error) {
        this.#ledger.fault(`send threw: ${String(error)}`);
        continue;
      }
      this.#next[from] = number + 1;
      for (const to of this.#rooms.keys()) {
        // The authority repeats a message to its sender as well.
        if (to !== from || this.#type === "said") this.#ledger.sent(`${this.#type} ${to}`, from, number);
      }
    }
  }
}

/** Counts sent and received messages by sender and receiver, with their latencies. */
class Ledger {
  /** Number of the last message, by receiver and sender. */
  readonly #sent = new Map<string, number>();
  readonly #received = new Map<string, number>();
  #latencies: number[] = [];
  #counts = { sent: 0, received: 0, lost: 0, twice: 0 };
  #faults = new Map<string, number>();
  readonly joinsMs: number[] = [];

  sent(receiver: string, from: number, number: number): void {
    this.#sent.set(`${receiver} ${from}`, number);
    this.#counts.sent += 1;
  }

  arrived(receiver: string, [from, number, sentAtMs]: Numbered): void {
    const key = `${receiver} ${from}`;
    const last = this.#received.get(key) ?? 0;
    if (number <= last) {
      this.#counts.twice += 1;
      return;
    }
    this.#counts.lost += number - last - 1;
    this.#counts.received += 1;
    this.#received.set(key, number);
    this.#latencies.push(performance.now() - sentAtMs);
  }

  fault(text: string): void {
    this.#faults.set(text, (this.#faults.get(text) ?? 0) + 1);
  }

  get missing(): number {
    let missing = 0;
    for (const [key, number] of this.#sent) missing += number - (this.#received.get(key) ?? 0);
    return missing;
  }

  /**
   * Returns the figures since the last call. With `isSettled`, messages that are still missing count as lost.
   */
  take(isSettled: boolean): Omit<HonestFigures, "consoleLines" | keyof CpuFigures | "stateCounts"> {
    const joins = this.joinsMs.splice(0);
    const figures = {
      ...this.#counts,
      lost: this.#counts.lost + (isSettled ? this.missing : 0),
      latenciesMs: this.#latencies,
      joins: joins.length,
      joinMsMax: Math.max(0, ...joins),
      faults: [...this.#faults].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`)),
    };
    this.#latencies = [];
    this.#counts = { sent: 0, received: 0, lost: 0, twice: 0 };
    this.#faults = new Map();
    return figures;
  }
}

type CpuFigures = Pick<HonestFigures, "seconds" | "cpuMs" | "cpuSamples">;

/** The process's use of CPU since the last call of `take`. */
class CpuMeter {
  readonly #samples: CpuSample[] = [];
  #atMs = performance.now();
  #before = process.cpuUsage();

  constructor() {
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      this.#samples.push({ atMs: epochMs(), cpuMs: (user + system) / 1000, ...mainThreadOf("self") });
    }, CPU_PERIOD_MS);
  }

  take(): CpuFigures {
    const { user, system } = process.cpuUsage(this.#before);
    const seconds = (performance.now() - this.#atMs) / 1000;
    this.#atMs = performance.now();
    this.#before = process.cpuUsage();
    return { seconds, cpuMs: (user + system) / 1000, cpuSamples: this.#samples.splice(0) };
  }
}

/**
 * Honest players of one server, over the SDK: four in a relay room and two in a room with an authority. They
 * send numbered
 * messages twenty times a second. Visitors join the relay room, wait for a message, and leave.
 */
export class HonestRoom {
  readonly #client: Client;
  readonly #meter = new CpuMeter();
  readonly #watcher: CellWatcher;
  readonly #ledger = new Ledger();
  readonly #conversations: readonly Conversation[];
  readonly #roomId: string;
  #isTalking = true;
  #hasVisits = true;
  #isVisited = false;
  #consoleLines = 0;

  private constructor(url: string, client: Client, relayed: readonly Room[], hosted: readonly Room[]) {
    this.#client = client;
    this.#watcher = new CellWatcher(url);
    for (const room of relayed) room.entities(Light);
    this.#roomId = relayed[0]!.roomId;
    this.#conversations = [
      new Conversation(relayed, "n", this.#ledger),
      new Conversation(hosted, "said", this.#ledger),
    ];
    for (const level of ["log", "info", "warn", "error"] as const) {
      console[level] = () => (this.#consoleLines += 1);
    }
    setInterval(() => {
      if (this.#isTalking) for (const conversation of this.#conversations) conversation.say();
    }, MESSAGE_PERIOD_MS);
    setInterval(() => {
      // One at a time: the server's sessions are counted.
      if (this.#hasVisits && !this.#isVisited) void this.#visit();
    }, VISIT_PERIOD_MS);
  }

  static async open(url: string): Promise<HonestRoom> {
    const options = { profile: { base: "racing", exposeAddress: false }, transports: ["websocket"] } as const;
    // On a busy machine lines stall, and further sockets of the players would count as descriptors that stay.
    const client = new Client(url, { ...options, sockets: 1, webSocket: NodeWebSocket });
    const first = await client.create("honest");
    const relayed = [first];
    while (relayed.length < MEMBERS) relayed.push(await client.joinById(first.roomId));
    while (!relayed.every(({ peers }) => peers.length === MEMBERS - 1)) await sleep(5);
    // A room kind of its own: attackers join `arena`, where their messages would be counted as well.
    const hosted = [await client.create("honest-arena")];
    hosted.push(await client.joinById(hosted[0]!.roomId));
    return new HonestRoom(url, client, relayed, hosted);
  }

  get roomId(): string {
    return this.#roomId;
  }

  set hasVisits(isOn: boolean) {
    this.#hasVisits = isOn;
  }

  set paddingBytes(bytes: number) {
    for (const conversation of this.#conversations) conversation.padding = "p".repeat(bytes);
  }

  async watch(isOn: boolean): Promise<void> {
    if (isOn) await this.#watcher.join();
    else this.#watcher.leave();
  }

  async figures(isSettled: boolean): Promise<HonestFigures> {
    if (isSettled) {
      this.#isTalking = false;
      for (let waitedMs = 0; waitedMs < SETTLE_LIMIT_MS && this.#ledger.missing > 0; waitedMs += 5)
        await sleep(5);
    }
    const figures = {
      ...this.#ledger.take(isSettled),
      ...this.#meter.take(),
      consoleLines: this.#consoleLines,
      stateCounts: this.#watcher.take(),
    };
    this.#consoleLines = 0;
    this.#isTalking = true;
    return figures;
  }

  async #visit(): Promise<void> {
    const startedMs = performance.now();
    this.#isVisited = true;
    try {
      const room = await this.#client.joinById(this.#roomId);
      const isHeard = await new Promise<boolean>((resolve) => {
        room.onMessage("n", () => resolve(true));
        setTimeout(() => resolve(false), VISIT_LIMIT_MS).unref();
      });
      room.leave();
      if (!isHeard) return this.#ledger.fault("a visitor heard nobody for 15 s");
      this.#ledger.joinsMs.push(performance.now() - startedMs);
    } catch (error) {
      this.#ledger.fault(`a join failed: ${String(error)}`);
    } finally {
      this.#isVisited = false;
    }
  }
}
