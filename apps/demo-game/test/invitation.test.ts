import { expect, test } from "vitest";
import {
  invitationUrl,
  isOnlyForThisMachine,
  newFriendsName,
  readInvitation,
} from "../src/net/invitation.js";
import { readSettings } from "../src/game/settings.js";

test("a new name for friends is valid in an address", () => {
  for (let index = 0; index < 100; index++) {
    const name = newFriendsName();
    expect(readInvitation(name)).toEqual({ friends: name });
  }
});

test("a link leads to the same race and server, and contains nothing about the sender", () => {
  const page = "https://play.example.com/?name=Ada&autostart=1&server=https%3A%2F%2Feu.example.com#x";
  const url = new URL(invitationUrl(page, "server", "Kx-3_f9aQ2bc"));
  expect([...url.searchParams.keys()].sort()).toEqual(["mode", "room", "server"]);
  const settings = readSettings(url.search, url.origin, undefined);
  expect(settings).toMatchObject({
    mode: "server",
    server: "https://eu.example.com",
    invitation: { roomId: "Kx-3_f9aQ2bc" },
    autostart: false,
    complaints: [],
  });
});

test.each([
  ["http://127.0.0.1:8787/?room=fox-42", true],
  ["http://localhost:5173/?room=fox-42", true],
  ["http://[::1]:8787/?room=fox-42", true],
  ["http://192.168.1.7:5173/?server=http%3A%2F%2F127.0.0.1%3A8787&room=fox-42", true],
  ["http://192.168.1.7:8787/?room=fox-42", false],
  ["https://play.example.com/?server=https%3A%2F%2Feu.example.com&room=fox-42", false],
])("the link %s is for this machine alone: %s", (link, isOnlyHere) => {
  expect(isOnlyForThisMachine(link)).toBe(isOnlyHere);
});

test.each(["", "a", "<script>", "../..", "fox 42", "x".repeat(500)])("%j names no race", (text) => {
  expect(readInvitation(text)).toBeUndefined();
});
