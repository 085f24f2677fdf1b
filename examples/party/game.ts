// A quiz for a room full of people. Everybody writes only their own answer and score; the phase of the round belongs to
// the player who has been there for longest, and to the next one when that player leaves.
import {
  defineEntity,
  enumOf,
  string,
  uint,
  type Entity,
  type OwnedEntity,
  type Room,
} from "@paceline/client";

export const QUESTIONS = [
  { text: "How many legs has a spider?", answers: ["six", "eight", "ten"], right: 1 },
  { text: "Which is the largest planet?", answers: ["Jupiter", "Saturn", "Earth"], right: 0 },
  { text: "What is frozen water?", answers: ["steam", "glass", "ice"], right: 2 },
];
const ANSWER_SECONDS = 10;
const PAUSE_SECONDS = 3;
const NO_ANSWER = 15;

export const Guest = defineEntity("guest", {
  name: string({ maxBytes: 32 }),
  round: uint({ range: [0, 255] }),
  answer: uint({ range: [0, NO_ANSWER], default: NO_ANSWER }),
  score: uint({ range: [0, 999] }),
});
const Quiz = defineEntity("quiz", {
  phase: enumOf(["asking", "showing", "over"]),
  round: uint({ range: [0, 255] }),
});

export class PartyGame {
  readonly me: OwnedEntity<typeof Guest>;
  readonly quiz;
  readonly room: Room;
  #phaseSeconds = 0;

  constructor(room: Room, name: string) {
    this.room = room;
    this.quiz = room.only(Quiz);
    this.me = room.spawn(Guest, { name });
    this.quiz.onChange("phase", () => (this.#phaseSeconds = 0));
    room.loop((seconds) => {
      this.#phaseSeconds += seconds;
      if (this.quiz.isMine) this.#lead();
      this.#count();
    });
  }

  get question(): (typeof QUESTIONS)[number] {
    return QUESTIONS[this.quiz.round % QUESTIONS.length]!;
  }

  get guests(): Entity<typeof Guest>[] {
    return [...this.room.entities(Guest)].sort((one, other) => other.score - one.score);
  }

  answer(choice: number): void {
    if (this.quiz.phase !== "asking") return;
    this.me.answer = choice;
    this.me.round = this.quiz.round;
  }

  #lead(): void {
    const { phase, round } = this.quiz;
    const haveAnswered = this.guests.every((guest) => guest.answer !== NO_ANSWER && guest.round === round);
    if (phase === "asking" && (haveAnswered || this.#phaseSeconds > ANSWER_SECONDS))
      this.quiz.phase = "showing";
    if (phase !== "showing" || this.#phaseSeconds < PAUSE_SECONDS) return;
    const isLast = round + 1 === QUESTIONS.length;
    if (!isLast) this.quiz.round = round + 1;
    this.quiz.phase = isLast ? "over" : "asking";
  }

  /**
   * A state that is lost is replaced by a newer one: nobody may count on having seen every phase. So this looks at what
   * is, and not at changes.
   */
  #count(): void {
    const { round, answer } = this.me;
    const isOpen = this.quiz.phase === "asking" && this.quiz.round === round;
    if (isOpen || answer === NO_ANSWER) return;
    if (QUESTIONS[round]?.right === answer) this.me.score += 1;
    this.me.answer = NO_ANSWER;
  }
}
