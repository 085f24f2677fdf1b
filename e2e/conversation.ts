/** Numbered messages from one page to another, sent while a scenario disturbs the connection. */
import type { PageWindow, RacePage } from "./race-page.js";

/** The page keeps a thousand lines of chat, including its own: enough for half a minute. */
const PERIOD_MS = 80;
/**
 * Number of a race that does not exist, so that the standings ignore these laps. The page's log keeps them.
 */
const NO_RACE = 4_000_000_000;
const FIRST_LAP_MS = 20_000;

interface Talking extends PageWindow {
  talk: { sent: number; timer: ReturnType<typeof setInterval> };
}

export interface Heard {
  readonly chat: readonly string[];
  readonly lapTimesMs: readonly number[];
}

/** Sends "1", "2", "3" ... as chat, and as many lap times, until {@link stopTalking}. */
export function startTalking(page: RacePage): Promise<void> {
  return page.browser.evaluate(
    ({ periodMs, race, firstLapMs }) => {
      const there = window as unknown as Talking;
      const say = (): void => {
        const { room, game } = there.paceline;
        there.talk.sent += 1;
        const timeMs = firstLapMs + there.talk.sent;
        game.say(String(there.talk.sent));
        room.send("lap", { race, lap: 1, timeMs, totalMs: timeMs });
      };
      there.talk = { sent: 0, timer: setInterval(say, periodMs) };
    },
    { periodMs: PERIOD_MS, race: NO_RACE, firstLapMs: FIRST_LAP_MS },
  );
}

/** @returns the number of sent messages of each kind */
export function stopTalking(page: RacePage): Promise<number> {
  return page.browser.evaluate(() => {
    const { talk } = window as unknown as Talking;
    clearInterval(talk.timer);
    return talk.sent;
  });
}

/**
 * Returns the messages of another page in order of arrival, after `expected` chat messages and a short wait.
 */
export async function heardFrom(listener: RacePage, speaker: RacePage, expected: number): Promise<Heard> {
  const from = { id: speaker.sessionId, name: speaker.name, expected };
  await listener.waitFor(
    `${expected} messages of ${speaker.name}`,
    ({ name, expected: count }) =>
      (window as unknown as PageWindow).paceline.game.chat.filter((line) => line.from === name).length >=
      count,
    { argument: from, timeoutMs: 10_000 },
  );
  // Repeated messages would arrive after the originals.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return listener.browser.evaluate(({ id, name }) => {
    const { chat, laps } = (window as unknown as PageWindow).paceline.game;
    return {
      chat: chat.filter((line) => line.from === name).map(({ text }) => text),
      lapTimesMs: laps.filter((lap) => lap.from === id && lap.lap === 1).map(({ timeMs }) => timeMs),
    };
  }, from);
}

/** Returns all messages, each once, in order. */
export function everythingSaid(count: number): Heard {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return { chat: numbers.map(String), lapTimesMs: numbers.map((number) => FIRST_LAP_MS + number) };
}
