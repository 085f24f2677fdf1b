import type { ParticipantCallbacks } from "@paceline/relay";
import { Session, type Scheduler } from "@paceline/transport";
import type { PlayerParticipant } from "./player.js";

/** Nothing arrives at a session without a link. */
const NO_HANDLERS = { onReliable: () => undefined };

/** The relay's half of a bot: a number that the others see, and a session without a link, to which nothing is sent. */
export class BotParticipant implements PlayerParticipant {
  readonly number: number;
  readonly id: string;
  callbacks: ParticipantCallbacks | undefined;
  readonly session: Session;
  readonly inOrderLink = undefined;
  readonly unloadGraceMs = undefined;
  readonly isOverdrawn = false;
  isGone = false;
  readonly #onEnd: (bot: BotParticipant) => void;

  /** @param onEnd called once, before the room's half hears that the bot has left */
  constructor(number: number, scheduler: Scheduler, onEnd: (bot: BotParticipant) => void) {
    this.number = number;
    this.id = `bot ${number}`;
    this.session = new Session({ scheduler, handlers: NO_HANDLERS });
    this.#onEnd = onEnd;
  }

  get info() {
    return { number: this.number, id: this.id, webrtc: false };
  }

  send(): undefined {
    return undefined;
  }

  end(code: number, reason: string): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#onEnd(this);
    void this.callbacks?.left({ code, reason });
  }

  // It sends nothing, so no limit applies, and it has no link that could be lost.
  readonly reportExceeded = (): void => undefined;
  readonly charge = (): void => undefined;
  readonly chargeItems = (): void => undefined;
  readonly keepFor = (): void => undefined;
  readonly sendIntroductions = (): void => undefined;
}
