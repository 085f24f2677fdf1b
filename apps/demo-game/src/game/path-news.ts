import type { Peer, Room, Unsubscribe } from "@paceline/client";
import type { RaceParticipant, RemoteCar } from "../net/race-participant.js";
import type { Toasts } from "../ui/toasts.js";
import {
  FailOvers,
  SETTLE_MS,
  USUAL_MS,
  type RivalPath,
  type SeenRival,
  type ShownSteps,
} from "./fail-over.js";
import {
  backInWords,
  failOverToast,
  goneInWords,
  noPathInWords,
  stepsInWords,
  toneOf,
} from "./path-words.js";

const OF_ANY_CAR = " of any car";

/** An event, and the largest step of any car that was in the picture shortly before. */
interface Event {
  readonly atMs: number;
  readonly usualM: number | undefined;
}

/**
 * Shows changes of paths as toasts, with figures measured from the picture. Kills paths at the player's
 * request.
 */
export class PathNews {
  readonly #participant: RaceParticipant;
  readonly #toasts: Toasts;
  readonly #failOvers: FailOvers;
  readonly #unsubscribe: readonly Unsubscribe[];
  readonly #isInPicture: (place: { readonly x: number; readonly y: number }) => boolean;
  #outage: Event | undefined;
  #nowMs = 0;
  #phase = "";
  /** A death of the WebRTC link to the server of which the figures are still measured. */
  #serverKill: Event | undefined;
  /** Time at which the largest step since the server's failure is reported. Set when the server is back. */
  #judgeAtMs: number | undefined;
  #backAfterMs = 0;

  /** @param isInPicture returns true if the page's picture shows that place of the world */
  constructor(
    participant: RaceParticipant,
    toasts: Toasts,
    isInPicture: (place: { readonly x: number; readonly y: number }) => boolean,
  ) {
    this.#isInPicture = isInPicture;
    this.#participant = participant;
    this.#toasts = toasts;
    this.#failOvers = new FailOvers((failOver) => this.#toasts.show(failOverToast(failOver)));
    const { room } = participant;
    this.#unsubscribe = [
      room.onDrop(() => this.#serverLost()),
      room.onReconnect(({ resumed }) => this.#serverBack(resumed)),
      room.onDrain(({ timeoutMs }) =>
        this.#toasts.show({
          key: "server",
          title: `The server restarts in ${Math.round(timeoutMs / 1000)} s at the latest`,
          text: "Until then the race goes on.",
          tone: "plain",
        }),
      ),
    ];
  }

  dispose(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#toasts.clear();
  }

  /** Returns the kind of path to a car's owner; undefined in server mode. */
  pathOf(ownerId: string): RivalPath | undefined {
    const path = this.#participant.room.peers.find(({ id }) => id === ownerId)?.path;
    return path === "server" ? undefined : path;
  }

  frame(atMs: number): void {
    this.#nowMs = atMs;
    const { room, remotes, session } = this.#participant;
    if (session.phase === "racing" && this.#phase !== "racing") this.#failOvers.forgetSteps();
    this.#phase = session.phase;
    this.#failOvers.frame(atMs, room.authority ? remotes.map((car) => this.#hosted(car)) : this.#rivals());
    if (this.#judgeAtMs !== undefined && atMs >= this.#judgeAtMs) this.#judge();
    if (this.#serverKill && atMs >= this.#serverKill.atMs + SETTLE_MS)
      this.#judgeServerKill(this.#serverKill);
  }

  #rivals(): SeenRival[] {
    return this.#participant.remotes.flatMap((remote) => {
      const path = this.pathOf(remote.ownerId);
      return path ? [{ ...remote, id: remote.ownerId, path, isInPicture: this.#isInPicture(remote) }] : [];
    });
  }

  /** All cars come over the same path, so no rival's path dies alone; only their steps are measured. */
  #hosted(remote: RemoteCar): SeenRival {
    return { ...remote, id: String(remote.id), path: "relay", isInPicture: this.#isInPicture(remote) };
  }

  #eventAt(atMs: number): Event {
    return { atMs, usualM: this.#failOvers.largestSeenM(atMs - USUAL_MS, atMs) };
  }

  #stepsSince({ atMs, usualM }: Event): ShownSteps {
    return { largestM: this.#failOvers.largestSeenM(atMs, this.#nowMs), usualM, wasSeen: true };
  }

  /** Kills the direct path to the nearest rival that has one; if a server decides, its WebRTC link. */
  killNearest(): void {
    const { room } = this.#participant;
    if (room.authority) return this.#killServerLink(room);
    const [nearest] = this.#directRivals();
    if (!nearest) {
      this.#toasts.show({
        key: "kill",
        title: "No direct path to kill",
        text: noPathInWords(room.peers.length),
        tone: "plain",
      });
      return;
    }
    this.#failOvers.killed(nearest.peer.id, performance.now());
    room.transport.killDirect(nearest.peer);
  }

  #killServerLink(room: Room): void {
    const { server, serverPath } = room.transport;
    if (server.stateLink !== "webrtc") {
      this.#toasts.show({
        key: "kill",
        title: "No WebRTC link to kill",
        text: `The server is reached by ${serverPath.choice}.`,
        tone: "plain",
      });
      return;
    }
    this.#serverKill = this.#eventAt(performance.now());
    room.transport.killServerWebRtc();
    this.#showServerKill("Measuring what you saw of it…");
  }

  #judgeServerKill(kill: Event): void {
    this.#serverKill = undefined;
    this.#showServerKill(stepsInWords(this.#stepsSince(kill), OF_ANY_CAR));
  }

  #showServerKill(text: string): void {
    this.#toasts.show({
      key: "kill",
      title: "The server's WebRTC link died",
      text: `The WebSocket took over. ${text}`,
      tone: "lost",
    });
  }

  #directRivals(): { peer: Peer; remote: RemoteCar }[] {
    const { room, remotes, racer } = this.#participant;
    const far = ({ x, y }: RemoteCar): number => Math.hypot(x - racer.car.x, y - racer.car.y);
    return remotes
      .flatMap((remote) => {
        const peer = room.peers.find(({ id }) => id === remote.ownerId);
        return peer && (peer.path === "direct" || peer.path === "turn") ? [{ peer, remote }] : [];
      })
      .sort((a, b) => far(a.remote) - far(b.remote));
  }

  #serverLost(): void {
    this.#outage ??= this.#eventAt(performance.now());
    const direct = this.#directRivals().length;
    const text = this.#participant.room.authority
      ? "It decides this race: the cars wait for it."
      : goneInWords(direct, this.#participant.remotes.length - direct);
    this.#toasts.show({ key: "server", title: "The server is gone", text, tone: "lost" });
  }

  #serverBack(resumed: boolean): void {
    const nowMs = performance.now();
    this.#backAfterMs = nowMs - (this.#outage?.atMs ?? nowMs);
    this.#judgeAtMs = nowMs + SETTLE_MS;
    this.#toasts.show({
      key: "server",
      title: `The server is back after ${(this.#backAfterMs / 1000).toFixed(1)} s`,
      text: backInWords(resumed),
      tone: resumed ? "good" : "plain",
    });
  }

  #judge(): void {
    const outage = this.#outage;
    this.#judgeAtMs = undefined;
    this.#outage = undefined;
    if (!outage || this.#participant.room.authority) return;
    const steps = this.#stepsSince(outage);
    // Without a car in the picture, the sentence before says more.
    if (steps.largestM === undefined) return;
    this.#toasts.show({
      key: "server",
      title: `The server is back after ${(this.#backAfterMs / 1000).toFixed(1)} s`,
      text: stepsInWords(steps, OF_ANY_CAR),
      tone: toneOf(steps),
    });
  }
}
