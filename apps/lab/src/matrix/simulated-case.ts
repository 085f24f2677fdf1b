import { ByteReader, ByteWriter, CloseCode } from "@paceline/protocol";
import { memoryLinkPair, seededRandom, VirtualScheduler, type MemoryLinkPair } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
import { ReceivedNumbers } from "./received-numbers.js";
import type { MatrixCase } from "./cases.js";
import type { MatrixRow } from "./outcome.js";
import { ThrottledScheduler } from "./throttled-scheduler.js";

/** The client's settings for a pair of participants. */
const RELAYED: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Number.POSITIVE_INFINITY,
  timeoutMs: 5000,
  heartbeatMs: 1000,
};
const DIRECT: LinkMonitorOptions = {
  preference: 10,
  needsProof: true,
  connectTimeoutMs: 10_000,
  timeoutMs: 1000,
  heartbeatMs: 250,
};

const WRITE_PERIOD_MS = 33;
const STEADY_MS = 5000;
const SETTLE_MS = 20_000;
/**
 * Time from joining to an open direct link (offers, candidates and handshakes), in round trips of the pair.
 */
const NEGOTIATION_ROUND_TRIPS = 4;
/** Time between the end of a direct link and the next attempt. */
const RETRY_MS = 1000;
const RECONNECT_ROUND_TRIPS = 2;

interface Participant {
  readonly session: Session;
  readonly received: ReceivedNumbers;
  sent: number;
  longestGapMs: number;
  newestAtMs: number | undefined;
}

/** A pair of sessions on a virtual clock, with a relayed path and in some cases a direct one. */
class SimulatedPairOfPlayers {
  readonly scheduler = new VirtualScheduler();
  readonly hidden = new ThrottledScheduler(this.scheduler);
  readonly #case: MatrixCase;
  readonly #random = seededRandom(5);
  readonly players: readonly Participant[];
  #relayed: MemoryLinkPair | undefined;
  #direct: MemoryLinkPair | undefined;
  #isCut = false;
  #isDirectDead = false;
  migrations = 0;
  directMs: number | undefined;

  constructor(matrixCase: MatrixCase) {
    this.#case = matrixCase;
    this.players = [this.#player(this.hidden), this.#player(this.scheduler)];
    this.openRelayed();
    // The relay is the best path here, but the peers still try a direct link, in vain.
    this.#isDirectDead = matrixCase.best === "relay";
    if (matrixCase.ice !== "none" || matrixCase.best === "direct" || this.#isDirectDead)
      this.#openDirectSoon(0);
  }

  openRelayed(): void {
    this.#relayed = this.#attach(RELAYED, false);
  }

  /** Drops all packets without an error. */
  cut(): void {
    this.#isCut = true;
    this.#relayed?.cut();
    this.#direct?.cut();
  }

  /** Ends a cut. The connection to the server opens again after its round trips. */
  heal(): void {
    this.#isCut = false;
    const gone = this.#relayed;
    this.scheduler.after(RECONNECT_ROUND_TRIPS * this.#case.rttMs, () => {
      for (const end of [gone?.a, gone?.b]) end?.close(CloseCode.timeout, "the server was away");
      this.openRelayed();
    });
  }

  killDirect(isForGood: boolean): void {
    this.#isDirectDead = isForGood;
    this.#direct?.cut();
  }

  endDirect(): void {
    this.#direct?.a.close(CloseCode.left, "not wanted any more");
  }

  cutRelayed(): void {
    this.#relayed?.cut();
  }

  play(forMs: number): void {
    const untilMs = this.scheduler.nowMs() + forMs;
    while (this.scheduler.nowMs() < untilMs) {
      for (const player of this.players) {
        player.session.sendState(numbered(player.sent), 1);
        if (player.session.commands.length < 900) player.session.sendReliable(numbered(player.sent++));
      }
      this.scheduler.advance(WRITE_PERIOD_MS);
    }
  }

  mark(): void {
    for (const player of this.players) {
      player.longestGapMs = 0;
      player.newestAtMs = this.scheduler.nowMs();
    }
  }

  #openDirectSoon(afterMs: number): void {
    const { rttMs } = this.#case;
    this.scheduler.after(afterMs + NEGOTIATION_ROUND_TRIPS * 2 * rttMs, () => {
      this.#direct = this.#attach(DIRECT, true);
      if (this.#isCut || this.#isDirectDead) this.#direct.cut();
    });
  }

  #attach(options: LinkMonitorOptions, isUnreliable: boolean): MemoryLinkPair {
    const { rttMs, lossPercent = 0 } = this.#case;
    const pair = memoryLinkPair({
      scheduler: this.scheduler,
      random: this.#random,
      settings: { delayMs: rttMs, loss: { kind: "uniform", ratio: lossPercent / 100 } },
      isUnreliable,
    });
    this.players[0]!.session.attach(pair.a, options);
    this.players[1]!.session.attach(pair.b, options);
    return pair;
  }

  #player(scheduler: VirtualScheduler | ThrottledScheduler): Participant {
    const received = new ReceivedNumbers();
    const player: Participant = {
      received,
      sent: 0,
      longestGapMs: 0,
      newestAtMs: undefined,
      session: new Session({
        scheduler,
        handlers: {
          onReliable: (payload) => received.take(new ByteReader(payload).u32()),
          onState: () => this.#seen(player),
          onActiveLink: (link) => {
            this.migrations += 1;
            if (link?.isUnreliable) this.directMs ??= this.scheduler.nowMs();
          },
          onLinkDown: (link) => {
            if (link === this.#direct?.a) this.#openDirectSoon(RETRY_MS);
          },
        },
      }),
    };
    return player;
  }

  #seen(player: Participant): void {
    const nowMs = this.scheduler.nowMs();
    player.longestGapMs = Math.max(player.longestGapMs, nowMs - (player.newestAtMs ?? nowMs));
    player.newestAtMs = nowMs;
  }
}

function numbered(number: number): Uint8Array {
  return new ByteWriter(4).u32(number).take();
}

/**
 * Plays the case with two sessions of the SDK on a virtual clock and network. Needs no browsers and no root.
 */
export function simulateCase(matrixCase: MatrixCase): MatrixRow {
  const pair = new SimulatedPairOfPlayers(matrixCase);
  pair.play(STEADY_MS);
  pair.mark();
  endure(pair, matrixCase);
  pair.play(STEADY_MS);
  const longestGapMs = Math.max(...pair.players.map((player) => player.longestGapMs));
  pair.scheduler.advance(SETTLE_MS);
  const [first, second] = pair.players as [Participant, Participant];
  const counts = pair.players.map(({ received }) => received.counts);
  const isDirect = first.session.activeLink?.isUnreliable === true;
  return {
    case: matrixCase.name,
    browsers: "simulated",
    path: isDirect ? "direct" : "relay",
    rttMs: matrixCase.rttMs,
    ...(pair.directMs !== undefined && { bestPathMs: pair.directMs }),
    longestGapMs,
    migrations: pair.migrations,
    reliableSent: first.sent + second.sent,
    lost: first.sent + second.sent - counts.reduce((sum, { distinct }) => sum + distinct, 0),
    repeated: counts.reduce((sum, { repeated }) => sum + repeated, 0),
    outOfOrder: counts.reduce((sum, { outOfOrder }) => sum + outOfOrder, 0),
    lostWithSession: 0,
  };
}

function endure(pair: SimulatedPairOfPlayers, { trouble }: MatrixCase): void {
  switch (trouble?.kind) {
    case undefined:
      return;
    case "cut":
      pair.cut();
      pair.play(trouble.forMs);
      return pair.heal();
    case "udp-dies":
      pair.killDirect(true);
      return pair.play(STEADY_MS);
    case "server-restart":
      pair.cutRelayed();
      pair.play(trouble.downMs);
      return pair.heal();
    case "hidden":
      pair.hidden.isThrottled = true;
      pair.play(trouble.forMs);
      pair.hidden.isThrottled = false;
      return;
    case "migrations":
      for (let done = 0; done < trouble.count; done += 2) {
        if (done % 4 === 0) pair.endDirect();
        else pair.killDirect(false);
        pair.play(STEADY_MS / 2);
      }
  }
}
