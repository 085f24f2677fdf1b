import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const SOURCES = path.resolve(import.meta.dirname, "../../packages/client/src");

/** The members that an editor completes for a class: those that are neither private nor `@internal`. */
function membersOf(file: string, className: string): string[] {
  const text = readFileSync(path.join(SOURCES, file), "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found = tree.statements.find((each) => ts.isClassDeclaration(each) && each.name?.text === className);
  const isHidden = (member: ts.ClassElement): boolean =>
    member.name?.getText().startsWith("#") === true ||
    ts.getJSDocTags(member).some((tag) => tag.tagName.text === "internal");
  const members = (found as ts.ClassDeclaration).members.filter((member) => !isHidden(member));
  return [...new Set(members.map((member) => member.name?.getText() ?? "constructor"))].sort();
}

it("a game sees of a room, its transport and its clock what is for games, and nothing else", () => {
  const room = [...membersOf("api/room.ts", "Room"), ...membersOf("api/room-events.ts", "RoomEvents")];
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
  expect(membersOf("report/room-transport.ts", "RoomTransport")).toEqual([
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
