import { CloseCode, SERVER_NUMBER } from "@paceline/protocol";
import { RoutedLoss, TokenBucket, type DropCounters, type LinkMonitorOptions } from "@paceline/transport";
import {
  NodeWebRtcLink,
  endNativeWebRtc,
  loadNativeWebRtc,
  type NativeWebRtc,
} from "@paceline/transport/node";
import { permitsCandidate } from "./candidate-policy.js";
import { AdmittedLink } from "../admission/admitted-link.js";
import type { Participant } from "../sessions/participant.js";
import type { RelaySettings } from "../options/relay-options.js";
import { freeUdpPort } from "./udp-port.js";

/** Mean interval at which a client may make attempts, besides the burst. */
const SECONDS_PER_ATTEMPT = 2;
const ATTEMPT_BURST = 5;
const linkOptions: LinkMonitorOptions = {
  preference: 2,
  needsProof: true,
  carries: "unreliable",
  connectTimeoutMs: 10_000,
  timeoutMs: 3000,
  heartbeatMs: 1000,
  measureMs: 4000,
};
/** Number of relays in this process that use the library. The last one ends it. */
let users = 0;

interface Attempt {
  readonly number: number;
  readonly link: NodeWebRtcLink;
}

interface Offerer {
  readonly bucket: TokenBucket;
  readonly attempts: Attempt[];
}

/**
 * Limit for one client. It may open a second link beside one that is slow to open; then it closes the slower
 * one.
 */
const MAX_ATTEMPTS = 2;

/**
 * Answers the offers of participants who want a WebRTC link to the server beside their WebSocket. Signals are
 * control messages. Without the library, or if its port is taken, the relay uses WebSockets only and logs
 * that once.
 */
export class WebRtcAnswerer {
  readonly #settings: RelaySettings;
  readonly #drops: DropCounters;
  readonly #onReady: () => void;
  readonly #offerers = new Map<Participant, Offerer>();
  readonly #open = new Set<Attempt>();
  #native: NativeWebRtc | undefined;
  port: number | undefined;
  #isClosed = false;

  /** @param onReady called when the answerer can take offers */
  constructor(settings: RelaySettings, drops: DropCounters, onReady: () => void) {
    this.#settings = settings;
    this.#drops = drops;
    this.#onReady = onReady;
    this.#start().catch((error: unknown) => settings.faults.report("webrtc", error));
  }

  get isReady(): boolean {
    return this.#native !== undefined && !this.#isClosed;
  }

  /** Number of WebRTC links that are open or opening. */
  get linkCount(): number {
    return this.#open.size;
  }

  /** Handles a participant's offer or candidate for the server. */
  signal(participant: Participant, attemptNumber: number, data: unknown): void {
    if (!this.isReady) return this.#drops.count("not-routable");
    const offerer = this.#offererOf(participant);
    const isOffer = (data as { type?: unknown } | null)?.type === "offer";
    const known = offerer.attempts.find(({ number }) => number === attemptNumber);
    if (known) return known.link.signal(data);
    // The candidate belongs to an attempt that has ended or was refused.
    if (!isOffer) return this.#drops.count("outdated");
    const { webRtcLinks } = this.#settings.limits;
    if (this.#open.size >= webRtcLinks) return this.#drops.count("queue-full");
    if (!offerer.bucket.take(1, this.#settings.scheduler.nowMs())) return this.#drops.count("rate-limit");
    if (offerer.attempts.length >= MAX_ATTEMPTS)
      offerer.attempts.shift()?.link.close(CloseCode.replaced, "the client started again");
    const attempt = this.#answer(participant, attemptNumber);
    offerer.attempts.push(attempt);
    attempt.link.signal(data);
  }

  /** Forgets a participant that has ended. Its session has closed the links. */
  forget(participant: Participant): void {
    this.#offerers.delete(participant);
  }

  /** Stops answering. Open links end with their sessions. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const native = this.#native;
    if (!native) return;
    users -= 1;
    if (users > 0) return;
    // A process that has used the library does not end by itself while the library runs.
    void endNativeWebRtc(native, () => users === 0);
  }

  async #start(): Promise<void> {
    const { webrtc, log } = this.#settings;
    if (!webrtc) return;
    const { native, failure } = await loadNativeWebRtc();
    if (!native) return log.warn("no WebRTC to the server, WebSockets only", { reason: failure });
    const port = await freeUdpPort(webrtc.port, webrtc.bindAddress);
    if (port === undefined) {
      const reason = `UDP port ${webrtc.port} cannot be bound`;
      return log.warn("no WebRTC to the server, WebSockets only", { reason });
    }
    if (this.#isClosed) return;
    users += 1;
    this.#native = native;
    this.port = port;
    log.info("WebRTC to the server", { udpPort: port });
    this.#onReady();
  }

  #offererOf(participant: Participant): Offerer {
    let offerer = this.#offerers.get(participant);
    if (!offerer) {
      const nowMs = this.#settings.scheduler.nowMs();
      offerer = { bucket: new TokenBucket(1 / SECONDS_PER_ATTEMPT, ATTEMPT_BURST, nowMs), attempts: [] };
      this.#offerers.set(participant, offerer);
    }
    return offerer;
  }

  #answer(participant: Participant, number: number): Attempt {
    const { scheduler, webrtc } = this.#settings;
    const link = new NodeWebRtcLink({
      native: this.#native!,
      scheduler,
      isInitiator: false,
      // The server needs no STUN: clients reach its address directly. They look up their own addresses.
      iceServers: [],
      udpPort: this.port!,
      ...(webrtc?.bindAddress !== undefined && { bindAddress: webrtc.bindAddress }),
      ...(webrtc?.announcedAddress !== undefined && { announcedAddress: webrtc.announcedAddress }),
      permitsCandidate: (address) => this.#permits(participant, address),
      onSignal: (data) =>
        participant.sendControl({ type: "signal", from: SERVER_NUMBER, attempt: number, data }),
      // Called from the native library, where nothing catches an error.
      onBadSignal: () => {
        try {
          participant.session.reportViolation("bad-message");
        } catch (error) {
          participant.fail("packet", error);
        }
      },
    });
    const admitted = new AdmittedLink(link, {
      sending: () => undefined,
      closing: () => this.#closed(participant, attempt),
    });
    const attempt: Attempt = { number, link };
    this.#open.add(attempt);
    // The newer of two links is preferred, as in the client.
    const preference = linkOptions.preference + number / 0x10000;
    participant.links.attachBeside(admitted, { ...linkOptions, preference, routed: new RoutedLoss() });
    return attempt;
  }

  #permits(participant: Participant, address: string): boolean {
    const mode = this.#settings.webrtc?.privateCandidates ?? "private-sessions";
    const isPermitted = permitsCandidate(address, participant.links.address, mode);
    if (!isPermitted) this.#drops.count("not-allowed");
    return isPermitted;
  }

  #closed(participant: Participant, attempt: Attempt): void {
    const offerer = this.#offerers.get(participant);
    this.#open.delete(attempt);
    const index = offerer?.attempts.indexOf(attempt) ?? -1;
    if (index >= 0) offerer?.attempts.splice(index, 1);
  }
}
