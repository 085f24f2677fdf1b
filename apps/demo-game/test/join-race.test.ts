import { expect, onTestFinished, test, vi } from "vitest";

const MOCKED = ["@paceline/client", "../src/track/salt-flats.js"];

test("a race is joined when all its code is there: messages that come before the game are lost", async () => {
  const order: string[] = [];
  // Other files of this process have loaded the real modules, or will.
  onTestFinished(() => {
    for (const module of MOCKED) vi.doUnmock(module);
    vi.resetModules();
  });
  vi.resetModules();
  vi.doMock("@paceline/client", async (original) => ({
    ...(await original<object>()),
    Client: class {
      joinOrCreate(): Promise<object> {
        order.push("joined");
        return Promise.resolve({});
      }
    },
  }));
  vi.doMock("../src/track/salt-flats.js", async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("circuit");
    return {};
  });
  const { joinRace } = await import("../src/net/join-race.js");
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
