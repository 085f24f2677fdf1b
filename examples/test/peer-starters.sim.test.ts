import type { Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { expect, test } from "vitest";
import { ActionGame, Fighter } from "../action/game.js";
import { PartyGame, QUESTIONS } from "../party/game.js";
import { Car, LAPS, RacingGame, TRACK_RADIUS_M } from "../racing/game.js";
import { meet } from "./starters.js";

test("racing: players see cars at their true places, and all players get the same winner", async () => {
  const { stage, seats } = await meet({
    profile: "racing",
    players: 3,
    play: (room) => new RacingGame(room),
  });
  const games = seats.map(({ game }) => game);
  games.forEach((game, index) => (game.wheel.throttle = 0.8 - 0.1 * index));
  await stage.advance(1000);
  expect(games.map(({ race }) => race.phase)).toEqual(["waiting", "waiting", "waiting"]);
  for (const { mine } of games) mine.isReady = true;
  const errors: number[] = [];
  for (let step = 0; step < 2400 && games[0]!.race.phase !== "over"; step++) {
    for (const { mine, wheel } of games) wheel.steer = steering(mine);
    await stage.advance(25);
    for (const { room } of seats) errors.push(...errorsOf(room, games));
  }
  await stage.advance(1000);
  expect(games.map(({ race }) => race.winner)).toEqual([1, 1, 1]);
  expect(games.map(({ race }) => race.phase)).toEqual(["over", "over", "over"]);
  expect(games[0]!.mine.laps).toBeGreaterThanOrEqual(LAPS);
  errors.sort((a, b) => a - b);
  // At up to 24 m/s, 50 ms are more than a metre: without extrapolation the median would be that.
  expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.3);
  expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThan(0.6);
});

/** How far from its place each of the others' cars is shown, m. */
function errorsOf(room: Room, games: readonly RacingGame[]): number[] {
  return [...room.entities(Car)].flatMap(({ id, isMine, shown }) => {
    const car = games.find(({ mine }) => mine.id === id)?.mine;
    return isMine || !car
      ? []
      : Math.hypot(shown.position.x - car.position.x, shown.position.y - car.position.y);
  });
}

/** Towards a point ahead on the circle. */
function steering({ position, heading }: RacingGame["mine"]): number {
  const ahead = Math.atan2(position.y, position.x) + 0.25;
  const [x, y] = [TRACK_RADIUS_M * Math.cos(ahead), TRACK_RADIUS_M * Math.sin(ahead)];
  const wanted = Math.atan2(y - position.y, x - position.x) - heading;
  return Math.max(-1, Math.min(1, 3 * Math.atan2(Math.sin(wanted), Math.cos(wanted))));
}

test("action: every punch counts once, and all players see the same hit points", async () => {
  const { stage, seats } = await meet({
    profile: "action",
    players: 4,
    play: (room) => new ActionGame(room),
  });
  const games = seats.map(({ game }) => game);
  const random = seededRandom(3);
  let hits = 0;
  for (let turn = 0; turn < 80; turn++) {
    for (const game of games) {
      const { x, y } = game.me.position;
      // Towards the middle, where the others are.
      game.stick.x = Math.max(-1, Math.min(1, random.normal(0, 1) - x / 2));
      game.stick.y = Math.max(-1, Math.min(1, random.normal(0, 1) - y / 2));
      hits += game.punch();
    }
    await stage.advance(250);
  }
  for (const { stick } of games) Object.assign(stick, { x: 0, y: 0 });
  await stage.advance(3000);
  const damage = games.reduce((sum, { me }) => sum + me.falls * 100 + (100 - me.hp), 0);
  expect(hits).toBeGreaterThan(100);
  // Who punched saw the other a moment ago: those who had fled, or fallen, since then are not hurt.
  expect(damage).toBeGreaterThan(10 * hits * 0.75);
  expect(damage).toBeLessThanOrEqual(10 * hits);
  const fight = (game: ActionGame): object =>
    Object.fromEntries([...game.room.entities(Fighter)].map(({ id, hp, falls }) => [id, [hp, falls]]));
  for (const game of games) expect(fight(game)).toEqual(fight(games[0]!));
  for (const { me } of games) {
    for (const game of games) {
      const seen = [...game.room.entities(Fighter)].find(({ id }) => id === me.id)!.shown.position;
      expect(Math.hypot(seen.x - me.position.x, seen.y - me.position.y)).toBeLessThan(0.2);
    }
  }
});

test("party: all players see the same scores, and the quiz goes on when its leader leaves", async () => {
  const names = ["Ann", "Ben", "Cem", "Dan", "Eve", "Fay", "Gil", "Hua"];
  const { stage, seats } = await meet({
    profile: "party",
    players: names.length,
    play: (room, index) => new PartyGame(room, names[index]!),
  });
  const games = seats.map(({ game }) => game);
  await stage.advance(500);
  // The question's right answer, from every second player.
  const answer = (game: PartyGame, index: number): void =>
    game.answer(index % 2 ? game.question.right : (game.question.right + 1) % 3);
  games.forEach(answer);
  await stage.advance(2500);
  expect(games.map(({ quiz }) => quiz.phase)).toEqual(names.map(() => "showing"));
  void games[0]!.room.leave();
  await stage.advance(5000);
  const staying = games.slice(1);
  expect(staying.map(({ quiz }) => [quiz.phase, quiz.round])).toEqual(staying.map(() => ["asking", 1]));
  // One does not answer: the round ends by time.
  staying.slice(1).forEach((game, index) => answer(game, index));
  await stage.advance(16_000);
  staying.forEach((game, index) => answer(game, index));
  await stage.advance(8000);
  expect(staying.map(({ quiz }) => quiz.phase)).toEqual(staying.map(() => "over"));
  const table = (game: PartyGame): string[] =>
    game.guests.map(({ name, score }) => `${name} ${score}`).sort();
  expect(table(staying[0]!)).toEqual(["Ben 1", "Cem 1", "Dan 2", "Eve 1", "Fay 2", "Gil 1", "Hua 2"]);
  for (const game of staying) expect(table(game)).toEqual(table(staying[0]!));
  expect(staying[0]!.quiz.round).toBe(QUESTIONS.length - 1);
});
