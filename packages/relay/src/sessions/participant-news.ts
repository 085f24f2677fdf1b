import type { ServerMessage } from "@paceline/protocol";
import { TokenBucket, type Cancel, type Scheduler } from "@paceline/transport";
import type { Participant } from "./participant.js";

/** News of a participant that the others get, besides its arrival and its end. */
type Announcement = Extract<ServerMessage, { type: "away" | "back" | "capabilities" }>;

/** Changes of a participant's WebRTC that the others hear of at once; then one each {@link WEBRTC_CHANGE_MS}. */
const WEBRTC_CHANGES = 8;
const WEBRTC_CHANGE_MS = 10_000;

/**
 * Sends the others news of a participant, when its share of the room's forwards has no debt. Newer news of the
 * same kind replaces news that waits.
 */
export class ParticipantNews {
  readonly #participant: Participant;
  readonly #scheduler: Scheduler;
  /** News that waits, by kind. */
  readonly #waiting = new Map<"presence" | "capabilities", Announcement>();
  #cancelSending: Cancel | undefined;
  #webrtc: boolean;
  /** The state that the participant said last. The others hear of it when {@link #webrtcChanges} allows. */
  #saidWebrtc: boolean;
  readonly #webrtcChanges: TokenBucket;
  #cancelWebrtcChange: Cancel | undefined;

  constructor(participant: Participant, scheduler: Scheduler, webrtc: boolean) {
    this.#participant = participant;
    this.#scheduler = scheduler;
    this.#webrtc = this.#saidWebrtc = webrtc;
    this.#webrtcChanges = new TokenBucket(1000 / WEBRTC_CHANGE_MS, WEBRTC_CHANGES, scheduler.nowMs());
  }

  /** True if the participant can use WebRTC, as the others know. */
  get webrtc(): boolean {
    return this.#webrtc;
  }

  /**
   * Notes whether the participant can use WebRTC. The others hear of each change, so frequent changes wait,
   * and only the last of them counts.
   */
  setWebrtc(webrtc: boolean): void {
    this.#saidWebrtc = webrtc;
    if (!this.#cancelWebrtcChange) this.#changeWebrtc();
  }

  announce(message: Announcement): void {
    this.#waiting.set(message.type === "capabilities" ? "capabilities" : "presence", message);
    if (!this.#cancelSending) this.#send();
  }

  /** Sends nothing any more, since the participant has ended. */
  stop(): void {
    this.#cancelSending?.();
    this.#cancelWebrtcChange?.();
  }

  #changeWebrtc(): void {
    this.#cancelWebrtcChange = undefined;
    if (this.#saidWebrtc === this.#webrtc) return;
    if (this.#webrtcChanges.take(1, this.#scheduler.nowMs())) {
      this.#webrtc = this.#saidWebrtc;
      this.announce({ type: "capabilities", number: this.#participant.number, webrtc: this.#webrtc });
    } else this.#cancelWebrtcChange = this.#scheduler.after(WEBRTC_CHANGE_MS, () => this.#changeWebrtc());
  }

  #send(): void {
    this.#cancelSending = undefined;
    const { forwards, room } = this.#participant;
    for (const [kind, message] of this.#waiting) {
      const nowMs = this.#scheduler.nowMs();
      const waitMs = forwards.waitMs(0, nowMs);
      if (waitMs > 0) {
        this.#cancelSending = this.#scheduler.after(Math.ceil(waitMs), () => this.#send());
        return;
      }
      this.#waiting.delete(kind);
      forwards.spend(room.size - 1, nowMs);
      room.sendToOthers(this.#participant, message);
    }
  }
}
