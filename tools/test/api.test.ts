import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { publicMembers } from "../undocumented.mjs";

const SOURCES = path.resolve(import.meta.dirname, "../../packages/client/src");

const membersOf = (file: string, className: string): string[] =>
  publicMembers(path.join(SOURCES, file), className);

it("a game sees of a room, its transport and its clock what is for games, and nothing else", () => {
  const room = [...membersOf("room/room.ts", "Room"), ...membersOf("room/room-events.ts", "RoomEvents")];
  expect(room).toEqual(expect.arrayContaining(["leave", "onDrain", "onError", "transport"]));
  const internal = [
    "constructor",
    "setup",
    "members",
    "join",
    "giveUp",
    "dropped",
    "left",
    "drained",
    "reconnected",
  ];
  expect(room.filter((name) => internal.includes(name))).toEqual([]);
  expect(membersOf("room-transport/room-transport.ts", "RoomTransport")).toEqual([
    "areStatesHeld",
    "choice",
    "configure",
    "explain",
    "history",
    "killDirect",
    "killServerWebRtc",
    "measured",
    "onChange",
    "onLink",
    "plan",
    "profile",
    "server",
    "serverPath",
    "simulate",
    "simulated",
    "transports",
  ]);
  expect(membersOf("time/room-clock.ts", "RoomClock")).toEqual([
    "errorMs",
    "now",
    "renderNow",
    "serverNow",
    "shownTick",
  ]);
});

it("declarations leave out what is internal", () => {
  const config = ts.readConfigFile(
    path.resolve(import.meta.dirname, "../../tsconfig.base.json"),
    ts.sys.readFile.bind(ts.sys),
  );
  expect(config.config).toMatchObject({ compilerOptions: { stripInternal: true } });
});
