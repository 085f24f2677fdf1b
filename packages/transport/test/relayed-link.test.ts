import { readEnvelope, type Envelope } from "@paceline/protocol";
import { MemoryLink, VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { RelayedLink } from "../src/index.js";

test("[WF24] asks the server to send inputs, commands and a game's events at once; all else may wait", () => {
  const scheduler = new VirtualScheduler();
  const pipe = { queuedBytes: 0, send: () => undefined };
  const server = new MemoryLink({ scheduler, reliable: pipe, unreliable: pipe });
  server.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
  const sent: Envelope[] = [];
  const link = new RelayedLink({
    scheduler,
    peerNumber: 7,
    uplink: {
      linkFor: () => server,
      queuedBytes: 0,
      outbox: {
        forward(_, bytes) {
          const envelope = readEnvelope(bytes);
          if (typeof envelope !== "string") sent.push(envelope);
        },
      },
    },
  });
  link.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
  scheduler.advance(1);
  for (const trafficClass of ["state", "reference", "command", "input", "bulk"] as const) {
    link.send(trafficClass, Uint8Array.of(0x20));
  }
  link.send("event", Uint8Array.of(0x20), 0, 1500);
  // A ping, which is useful even if it is late.
  link.send("event", Uint8Array.of(0x20));
  const prompt = sent.map(({ trafficClass, isPrompt = false }) => [trafficClass, isPrompt]);
  expect(prompt).toEqual([
    ["state", false],
    ["reference", false],
    ["command", true],
    ["input", true],
    ["bulk", false],
    ["event", true],
    ["event", false],
  ]);
});
