import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { test } from "./scenario.js";
import { TurnServer, hasTurnServer } from "./turn-server.js";

const SECRET = "a secret of the test, of enough bytes";

/** In the page, before its scripts: makes every connection use TURN. */
function throughTurnAlone(): void {
  const Native = RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super({ ...configuration, iceTransportPolicy: "relay" });
    }
  };
}

test.skip(!hasTurnServer, "coturn (turnserver) is not installed");

for (const transport of ["udp", "tcp"]) {
  test(
    `a pair that has no direct path meets through TURN over ${transport}`,
    { tag: transport === "tcp" ? "@slow" : [] },
    async ({ startServer, enter, report }) => {
      const turn = await TurnServer.start(SECRET);
      try {
        const url = `turn:127.0.0.1:${turn.port}?transport=${transport}`;
        const server = await startServer(0, ["--turn", url, "--turn-secret", SECRET]);
        const first = new RacePage(
          await enter("chromium", { beforeLoad: [throughTurnAlone], framesPerDraw: 2 }),
        );
        const second = new RacePage(
          await enter("chromium", { beforeLoad: [throughTurnAlone], framesPerDraw: 2 }),
        );
        for (const page of [first, second]) await page.join(server.url);
        const reason = await second.reaches(first, "turn");
        expect(reason).toMatch(/through a TURN server/);
        await first.reaches(second, "turn");
        await first.sees(second);
        report({
          scenario: `TURN over ${transport}`,
          browsers: "chromium sees chromium",
          path: `turn: ${reason}`,
        });
      } finally {
        await turn.stop();
      }
    },
  );
}

test(
  "wrong passwords for TURN are refused, and the relay goes on and says why",
  { tag: "@slow" },
  async ({ startServer, enter, report }) => {
    const turn = await TurnServer.start("another secret than the server's");
    try {
      const flags = ["--turn", `turn:127.0.0.1:${turn.port}`, "--turn-secret", SECRET];
      const server = await startServer(0, flags);
      const first = new RacePage(
        await enter("chromium", { beforeLoad: [throughTurnAlone], framesPerDraw: 2 }),
      );
      const second = new RacePage(
        await enter("chromium", { beforeLoad: [throughTurnAlone], framesPerDraw: 2 }),
      );
      for (const page of [first, second]) await page.join(server.url);
      await second.sees(first);
      const reason = await second.waitFor(
        "the refusal of TURN",
        () => {
          const { peers } = (window as unknown as PageWindow).paceline.room;
          return peers.find(({ path, reason: why }) => path === "relay" && /401/.test(why))?.reason;
        },
        { argument: undefined, timeoutMs: 20_000 },
      );
      report({ scenario: "wrong passwords for TURN", browsers: "chromium", path: `relay: ${reason}` });
    } finally {
      await turn.stop();
    }
  },
);
