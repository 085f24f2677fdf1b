import type { Client, ProfileChoice } from "@paceline/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { GameServer } from "./game-server.js";
import { Stage } from "./stage.js";
import { TestTab } from "./test-page.js";

const CODE = { mesh: "../src/doors/mesh.js", authority: "../src/doors/authority.js" } as const;
const stage = new Stage();

/** Codes of modes that the present page has asked for, in order. */
let asked: string[] = [];

/** Loads a page in the tab. No module of the page before remains. */
async function load(tab: TestTab, server: GameServer, profile: ProfileChoice): Promise<Client> {
  const page = tab.load();
  vi.resetModules();
  asked = [];
  for (const [mode, file] of Object.entries(CODE)) {
    vi.doMock(file, (original) => {
      asked.push(mode);
      return original();
    });
  }
  const { Client: OfPage } = await import("@paceline/client");
  const { NodeWebSocket } = await import("@paceline/client/node");
  return new OfPage(server.url, { profile, webSocket: NodeWebSocket, page });
}

afterEach(async () => {
  await vi.dynamicImportSettled();
  for (const file of Object.values(CODE)) vi.doUnmock(file);
  vi.resetModules();
});

describe("the code of a room's mode", () => {
  test("is that of the profile's topology, and no other", async () => {
    const server = await stage.server();
    const client = await load(TestTab.open({ hasLocks: true }), server, "racing");
    stage.keep(await client.joinOrCreate("race"));
    await vi.dynamicImportSettled();
    expect(asked).toEqual(["mesh"]);
  });

  test("costs one more fetch if the profile was wrong, and none in the same tab's next page", async () => {
    const server = await stage.server();
    const tab = TestTab.open({ hasLocks: true });
    const first = stage.keep(await (await load(tab, server, "shooter")).joinOrCreate("race"));
    expect([first.state, asked]).toEqual(["joined", ["authority", "mesh"]]);
    const second = stage.keep(await (await load(tab, server, "shooter")).joinOrCreate("race"));
    expect([second.state, asked]).toEqual(["joined", ["mesh"]]);
  });

  test("is loaded ahead of the join if the game names its profile", async () => {
    vi.resetModules();
    const server = await stage.server();
    await load(TestTab.open({ hasLocks: true }), server, "racing");
    const { Client: OfPage } = await import("@paceline/client");
    await OfPage.preload();
    expect(asked).toEqual([]);
    await OfPage.preload({ base: "racing", topology: "authority" });
    expect(asked).toEqual(["authority"]);
  });
});
