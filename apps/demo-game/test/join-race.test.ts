import { expect, test, vi } from "vitest";
import { joinRace } from "../src/net/join-race.js";

const order = vi.hoisted(() => [] as string[]);

vi.mock("@paceline/client", async (original) => ({
  ...(await original<object>()),
  Client: class {
    joinOrCreate(): Promise<object> {
      order.push("joined");
      return Promise.resolve({});
    }
  },
}));

vi.mock("../src/track/salt-flats.js", async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  order.push("circuit");
  return {};
});

test("a race is joined when all its code is there: messages that come before the game are lost", async () => {
  await joinRace({
    mode: "server",
    driver: { name: "Ann", color: "#e5484d", isComputer: false },
    isSpectator: false,
    invitation: undefined,
    server: "http://127.0.0.1:1",
    profile: "racing",
    transports: undefined,
  });
  expect(order).toEqual(["circuit", "joined"]);
});
