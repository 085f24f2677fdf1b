import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemScheduler, type LinkClose, type LinkHandlers } from "@paceline/transport";
import { NodeWebRtcLink, endNativeWebRtc, type NativeWebRtc } from "@paceline/transport/node";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { build } from "esbuild";
import { freeUdpPort } from "../../testkit/test/free-udp-port.js";
import { loaded, nativePair, type NativePair } from "./node-webrtc-pair.js";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
/** Program that opens links, uses and closes them, and ends the library, all twice. */
const exitingProcess = `
  import { endNativeWebRtc } from "./src/node/native-webrtc.ts";
  import { freeUdpPort } from "../testkit/test/free-udp-port.ts";
  import { loaded, nativePair } from "./test/node-webrtc-pair.ts";
  const nothing = { onOpen() {}, onPacket() {}, onClose() {} };
  for (let round = 0; round < 2; round++) {
    const pair = nativePair(loaded.native, await freeUdpPort());
    const isOpen = new Promise((resolve) => pair.b.start({ ...nothing, onOpen: resolve }));
    pair.a.start(nothing);
    await Promise.race([isOpen, pair.pass(3000)]);
    await pair.dispose();
    await endNativeWebRtc(loaded.native);
  }
  // A link that nobody answers, still open when the end is asked for: the end waits for it.
  const lonely = nativePair(loaded.native, await freeUdpPort());
  lonely.a.start(nothing);
  const ended = endNativeWebRtc(loaded.native);
  let isEnded = false;
  ended.then(() => (isEnded = true));
  await lonely.pass(3000);
  if (isEnded) process.exit(3);
  await lonely.dispose();
  await ended;
`;
const RETRY = { retry: 2, timeout: 20_000 };
const OPEN_TIMEOUT = { timeout: 5000 };

/** The server's port in each try of a case. */
let udpPort: number;
beforeEach(async () => {
  udpPort = await freeUdpPort();
});

interface Heard {
  opened: number;
  packets: Uint8Array[];
  close: LinkClose | undefined;
}

function listen(heard: Heard): LinkHandlers {
  return {
    onOpen: () => void (heard.opened += 1),
    onPacket: (packet) => heard.packets.push(packet),
    onClose: (close) => (heard.close = close),
  };
}

const nothingHeard = (): Heard => ({ opened: 0, packets: [], close: undefined });

async function opened(pair: NativePair): Promise<{ a: Heard; b: Heard }> {
  const [a, b] = [nothingHeard(), nothingHeard()];
  pair.a.start(listen(a));
  pair.b.start(listen(b));
  await vi.waitFor(() => expect([a.opened, b.opened]).toEqual([1, 1]), OPEN_TIMEOUT);
  return { a, b };
}

/** The end of a link at the server, without a client; records its signals. */
function lonelyServer(native: NativeWebRtc) {
  const said: unknown[] = [];
  let bad = 0;
  const link = new NodeWebRtcLink({
    native,
    scheduler: systemScheduler,
    isInitiator: false,
    iceServers: [],
    bindAddress: "127.0.0.1",
    udpPort,
    onSignal: (data) => said.push(data),
    onBadSignal: () => void (bad += 1),
  });
  return { link, said, badSignals: () => bad };
}

const candidate = (text: string) => ({ type: "candidate", candidate: { candidate: text, sdpMid: "0" } });
const HOST = "candidate:1 1 UDP 2122317823 127.0.0.1 9 typ host";

describe.skipIf(!loaded.native)(`a WebRTC link of Node (${loaded.failure ?? "loaded"})`, () => {
  const native = loaded.native!;

  test("stores candidates that overtake the offer", RETRY, async () => {
    const pair = nativePair(native, udpPort);
    const held: unknown[] = [];
    const late = pair.b.signal.bind(pair.b);
    // The candidates arrive before the offer.
    pair.b.signal = (data: unknown) => {
      if ((data as { type: string }).type === "candidate") return late(data);
      held.push(data);
      setTimeout(() => held.splice(0).forEach(late), 100);
    };
    const { a, b } = await opened(pair);
    expect([a.close, b.close]).toEqual([undefined, undefined]);
    await pair.dispose();
  });

  // The library repeats a lost first message after a second, a browser after 50 ms.
  test("lets the offering browser begin DTLS", RETRY, async () => {
    const pair = nativePair(native, udpPort);
    const answers: string[] = [];
    const [toServer, toClient] = [pair.b.signal.bind(pair.b), pair.a.signal.bind(pair.a)];
    const setup = /^a=setup:\w+/m;
    pair.b.signal = (data: unknown) => {
      const { type, sdp } = data as { readonly type: string; readonly sdp?: string };
      // A browser's offer has this role.
      toServer(type === "offer" ? { type, sdp: sdp?.replace(setup, "a=setup:actpass") } : data);
    };
    pair.a.signal = (data: unknown) => {
      const { sdp } = data as { readonly sdp?: string };
      if (sdp !== undefined) answers.push(setup.exec(sdp)?.[0] ?? "");
      toClient(data);
    };
    const { a, b } = await opened(pair);
    expect(answers).toEqual(["a=setup:passive"]);
    expect([a.close, b.close]).toEqual([undefined, undefined]);
    await pair.dispose();
  });

  test("throws nothing at signals, sends and closes in every wrong state", async () => {
    const { link, badSignals } = lonelyServer(native);
    for (const data of [undefined, 1, {}, candidate(HOST)]) link.signal(data);
    link.send("state", Uint8Array.of(1));
    link.start(listen(nothingHeard()));
    await sleep(20);
    const garbage = [null, "offer", { type: "offer" }, { type: "answer", sdp: "v=0" }, { type: "rollback" }];
    for (const data of garbage) link.signal(data);
    expect(badSignals()).toBe(3 + garbage.length);
    link.close(4000, "enough");
    link.signal(candidate(HOST));
    link.send("command", Uint8Array.of(1));
    link.close(4001, "again");
    await sleep(20);
    expect(link.state).toBe("closed");
    expect(link.counters.packetsDropped).toBe(2);
  });

  test("survives a close from inside every callback", RETRY, async () => {
    for (const moment of ["open", "packet"] as const) {
      const pair = nativePair(native, udpPort);
      const closes: string[] = [];
      const leave = (at: string) => at === moment && pair.b.close(4000, at);
      pair.b.start({
        onOpen: () => leave("open"),
        onPacket: () => leave("packet"),
        onClose: ({ reason }) => closes.push(reason),
      });
      pair.a.start({
        onOpen: () => pair.a.send("command", Uint8Array.of(7)),
        onPacket: () => undefined,
        onClose: () => closes.push("a"),
      });
      await vi.waitFor(() => expect(closes.toSorted()).toEqual(["a", moment]), OPEN_TIMEOUT);
    }
  });

  test(
    "counts a flood of candidates as bad signals, stores none of them, and still opens the link",
    RETRY,
    async () => {
      const pair = nativePair(native, udpPort);
      const { link, badSignals } = lonelyServer(native);
      link.start(listen(nothingHeard()));
      await sleep(20);
      for (let index = 0; index < 10_000; index++)
        link.signal(candidate(HOST.replace(" 9 ", ` ${9 + index} `)));
      expect(badSignals()).toBe(10_000 - 24);
      await opened(pair);
      link.close(4000, "done");
      await pair.dispose();
    },
  );

  test("looks up no names: it ignores candidates that are no UDP address", async () => {
    const { link, badSignals } = lonelyServer(native);
    const useless = [
      "",
      HOST.replace("127.0.0.1", "intranet.example"),
      HOST.replace("127.0.0.1", "a-b-c.local"),
    ];
    useless.push(HOST.replace("UDP", "tcp") + " tcptype active");
    for (const text of useless) link.signal(candidate(text));
    link.start(listen(nothingHeard()));
    await sleep(20);
    expect(badSignals()).toBe(0);
    expect(link.state).toBe("connecting");
    link.close(4000, "done");
  });

  test("refuses hostile descriptions before the native parser sees them", async () => {
    const { link, said, badSignals } = lonelyServer(native);
    link.start(listen(nothingHeard()));
    await sleep(20);
    const lines = offerLines();
    const hostile = [
      "",
      "v=0",
      lines.join("\r\n") + "\r\na=" + "x".repeat(2000),
      lines.join("\r\n").repeat(20),
      lines.join("\r\n") + "\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111",
      lines.filter((line) => !line.startsWith("a=fingerprint")).join("\r\n"),
      lines.map((line) => line.replace(/^a=ice-pwd:.*/, "a=ice-pwd:short")).join("\r\n"),
      lines.map((line) => line.replace(/^a=ice-ufrag:.*/, "a=ice-ufrag:\u0000\u0001\u00ff")).join("\r\n"),
      "\0".repeat(8000),
      "m=application\n".repeat(500),
    ];
    for (const sdp of hostile) link.signal({ type: "offer", sdp });
    for (const sdp of [7, null, {}, [lines]]) link.signal({ type: "offer", sdp });
    expect(badSignals()).toBe(hostile.length + 4);
    expect(said).toEqual([]);
    // The link still answers one honest offer, and no second one.
    link.signal({ type: "offer", sdp: lines.join("\r\n") });
    link.signal({ type: "offer", sdp: lines.join("\r\n") });
    await vi.waitFor(() => expect(said[0]).toMatchObject({ type: "answer" }), OPEN_TIMEOUT);
    expect(badSignals()).toBe(hostile.length + 5);
    link.close(4000, "done");
  });

  test(
    "closes at invalid values in a well-formed description, and other links still open",
    RETRY,
    async () => {
      const { link } = lonelyServer(native);
      const heard = nothingHeard();
      link.start(listen(heard));
      await sleep(20);
      const lines = offerLines().map((line) =>
        line.replace(/^a=fingerprint:.*/, `a=fingerprint:sha-256 ${":".repeat(95)}`),
      );
      link.signal({ type: "offer", sdp: lines.join("\r\n") });
      await vi.waitFor(() => expect(heard.close?.reason).toMatch(/refused/), OPEN_TIMEOUT);
      const pair = nativePair(native, udpPort);
      await opened(pair);
      await pair.dispose();
    },
  );

  test("carries many links on one UDP port", { timeout: 60_000 }, async () => {
    const pairs: NativePair[] = [];
    const heard: { a: Heard; b: Heard }[] = [];
    while (pairs.length < 24) {
      const pair = nativePair(native, udpPort);
      // About one link in a hundred fails to connect: see the contract test.
      const met = await opened(pair).catch(() => undefined);
      if (!met) continue;
      heard.push(met);
      pairs.push(pair);
    }
    pairs.forEach((pair, index) => pair.a.send("command", Uint8Array.of(index)));
    const each = pairs.map((_, index) => index);
    const firstBytes = (side: "a" | "b") => heard.map((ends) => ends[side].packets[0]?.[0]);
    await vi.waitFor(() => expect(firstBytes("b")).toEqual(each), OPEN_TIMEOUT);
    // Sends the packets back: every link has its own.
    pairs.forEach((pair, index) => pair.b.send("command", heard[index]!.b.packets[0]!));
    await vi.waitFor(() => expect(firstBytes("a")).toEqual(each), OPEN_TIMEOUT);
    expect(pairs[0]!.a.route).toEqual({ isTurn: false, protocol: "udp" });
    await Promise.all(pairs.map((pair) => pair.dispose()));
  });

  test(
    "lets the process exit once its links are closed and the library is ended",
    { timeout: 30_000 },
    async () => {
      // A process of its own, because the test runner would end this one in any case.
      const { outputFiles } = await build({
        stdin: { contents: exitingProcess, resolveDir: packageFolder, loader: "ts" },
        bundle: true,
        write: false,
        platform: "node",
        format: "esm",
        conditions: ["@paceline/source"],
        packages: "bundle",
        external: ["node-datachannel", "ws"],
      });
      const args = ["--input-type=module"];
      const child = spawn(process.execPath, args, {
        cwd: packageFolder,
        stdio: ["pipe", "inherit", "inherit"],
      });
      child.stdin.end(outputFiles[0]!.text);
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      expect({ code, signal }).toEqual({ code: 0, signal: null });
    },
  );

  test("ending the library never throws, even if its cleanup fails", async () => {
    const stuck: NativeWebRtc = {
      PeerConnection: native.PeerConnection,
      setSctpSettings: () => undefined,
      cleanup: () => {
        throw new Error("cleanup timeout (possible deadlock)");
      },
    };
    await expect(endNativeWebRtc(stuck)).resolves.toBeUndefined();
  });
});

/** Returns an offer in the form of Chromium. */
function offerLines(): string[] {
  return [
    "v=0",
    "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
    "s=-",
    "t=0 0",
    "a=group:BUNDLE 0",
    "a=extmap-allow-mixed",
    "a=msid-semantic: WMS",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    "c=IN IP4 0.0.0.0",
    "a=ice-ufrag:4ZcD",
    "a=ice-pwd:2/1muCWoOi3uLifh0NuRHlow",
    "a=ice-options:trickle",
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "7B").join(":")}`,
    "a=setup:actpass",
    "a=mid:0",
    "a=sctp-port:5000",
    "a=max-message-size:262144",
  ];
}
