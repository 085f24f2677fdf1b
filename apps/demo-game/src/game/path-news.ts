import type { Peer, Room, Unsubscribe } from "@paceline/client";
import type { RaceParticipant } from "../net/race-participant.js";
import type { RemoteCar } from "../net/remote-car.js";
import type { Toasts, ToastText } from "../ui/toasts.js";
import {
  FailOvers,
  SETTLE_MS,
  USUAL_MS,
  type FailOver,
  type RivalPath,
  type SeenRival,
} from "./fail-over.js";

const NAMES: Readonly<Record<RivalPath, string>> = {
  direct: "direct path",
  turn: "path through TURN",
  relay: "relay",
};

/**
 * Shows changes of paths as toasts, with figures measured from the picture. Kills paths at the player's
 * request.
 */
export class PathNews {
  readonly #participant: RaceParticipant;
  readonly #toasts: Toasts;
  readonly #failOvers: FailOvers;
  readonly #unsubscribe: readonly Unsubscribe[];
  #outage: { readonly atMs: number; readonly usualStepM: number } | undefined;
  #nowMs = 0;
  #phase = "";
  /** A death of the WebRTC link to the server of which the figures are still measured. */
  #serverKill: { readonly atMs: number; readonly usualStepM: number } | undefined;
  /** Time at which the largest step since the server's failure is reported. Set when the server is back. */
  #judgeAtMs: number | undefined;
  #backAfterMs = 0;

  constructor(participant: RaceParticipant, toasts: Toasts) {
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
    this.#failOvers.frame(atMs, room.authority ? hostedRivals(remotes) : this.#rivals());
    if (this.#judgeAtMs !== undefined && atMs >= this.#judgeAtMs) this.#judge();
    if (this.#serverKill && atMs >= this.#serverKill.atMs + SETTLE_MS)
      this.#judgeServerKill(this.#serverKill);
  }

  #rivals(): SeenRival[] {
    return this.#participant.remotes.flatMap((remote) => {
      const path = this.pathOf(remote.ownerId);
      return path ? [{ ...remote, id: remote.ownerId, path }] : [];
    });
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
        text: "All that goes to the others goes through the relay now. Direct paths are tried again.",
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
    const atMs = performance.now();
    this.#serverKill = { atMs, usualStepM: this.#failOvers.largestM(atMs - USUAL_MS, atMs) };
    room.transport.killServerWebRtc();
    this.#showServerKill("Measuring what you saw of it…");
  }

  #judgeServerKill({ atMs, usualStepM }: { atMs: number; usualStepM: number }): void {
    this.#serverKill = undefined;
    const largestM = this.#failOvers.largestM(atMs, this.#nowMs);
    this.#showServerKill(
      `Largest step of any car that you saw: ${metres(largestM)}; ${metres(usualStepM)} in the 2 s before.`,
    );
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
    const atMs = performance.now();
    this.#outage ??= { atMs, usualStepM: this.#failOvers.largestM(atMs - USUAL_MS, atMs) };
    const direct = this.#directRivals().length;
    const others = this.#participant.remotes.length - direct;
    const text = this.#participant.room.authority
      ? "It decides this race: the cars wait for it."
      : `${direct} direct ${direct === 1 ? "path goes" : "paths go"} on${others > 0 ? `; ${others} wait for it` : ""}.`;
    this.#toasts.show({ key: "server", title: "The server is gone", text, tone: "lost" });
  }

  #serverBack(resumed: boolean): void {
    const nowMs = performance.now();
    this.#backAfterMs = nowMs - (this.#outage?.atMs ?? nowMs);
    this.#judgeAtMs = nowMs + SETTLE_MS;
    this.#toasts.show({
      key: "server",
      title: `The server is back after ${(this.#backAfterMs / 1000).toFixed(1)} s`,
      text: resumed ? "The same race goes on." : `It was started again${this.#afterRestart}.`,
      tone: "good",
    });
  }

  /** Players keep their race; one that the server decides is gone with the server. */
  get #afterRestart(): string {
    return this.#participant.room.authority ? ", and the race with it" : "; the race is the same one";
  }

  #judge(): void {
    const outage = this.#outage;
    this.#judgeAtMs = undefined;
    this.#outage = undefined;
    if (!outage || this.#participant.room.authority) return;
    const largestM = this.#failOvers.largestM(outage.atMs, this.#nowMs);
    this.#toasts.show({
      key: "server",
      title: `The server is back after ${(this.#backAfterMs / 1000).toFixed(1)} s`,
      text: `${metres(largestM)} was the largest step of any car that you saw; ${metres(outage.usualStepM)} in the 2 s before.`,
      tone: "good",
    });
  }
}

/** All cars come over the same path, so no rival's path dies alone; only their steps are measured. */
function hostedRivals(remotes: readonly RemoteCar[]): SeenRival[] {
  return remotes.map((remote) => ({ ...remote, id: String(remote.id), path: "relay" }));
}

function failOverToast(failOver: FailOver): ToastText {
  const { rival, lost, took, tookMs, largestStepM, usualStepM, back } = failOver;
  const inTime = tookMs === undefined ? "" : ` in ${Math.round(tookMs)} ms`;
  const step =
    largestStepM === undefined
      ? "Measuring what you saw of it…"
      : `Largest step that you saw: ${metres(largestStepM)}; ${metres(usualStepM)} in the 2 s before.`;
  const again = back ? ` The ${NAMES[back.path]} was back after ${(back.afterMs / 1000).toFixed(1)} s.` : "";
  return {
    key: `path-${rival.id}`,
    title: `${rival.name}: ${NAMES[lost]} died${back ? " and is back" : ""}`,
    text: `The ${NAMES[took]} took over${inTime}. ${step}${again}`,
    tone: back ? "good" : "lost",
    isComputer: rival.isComputer,
  };
}

function metres(value: number): string {
  return `${value.toFixed(2)} m`;
}
