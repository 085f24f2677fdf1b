import { CloseCode } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import { expect, test } from "vitest";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

const LINK_TIMEOUT_MS = 2000;
/** docs/OPERATIONS.md promises it. */
const FIRST_PACKET_MS = 20_000;
const limits = { linkTimeoutMs: LINK_TIMEOUT_MS, reconnectGraceMs: 1000 };

test("a newcomer keeps its link and its seat for 20 s without a packet, whatever linkTimeoutMs is", () => {
  const stage = new VirtualRegistry({ limits });
  const link = stage.link();
  const closes: LinkClose[] = [];
  stage.registry.admit(new AdmittedLink(link.relay), stage.seat().ticket);
  link.player.start({
    onOpen: () => undefined,
    onPacket: () => undefined,
    onClose: (close) => closes.push(close),
  });
  stage.scheduler.advance(FIRST_PACKET_MS - 100);
  expect(closes).toEqual([]);
  expect(stage.registry.participants.size).toBe(1);
  stage.scheduler.advance(1000);
  expect(closes.map(({ code }) => code)).toEqual([CloseCode.timeout]);
  stage.scheduler.advance(limits.reconnectGraceMs + 1000);
  expect(stage.registry.participants.size).toBe(0);
});

test("a newcomer whose first packet comes after 19 s stays, and has linkTimeoutMs for each silence since", () => {
  const stage = new VirtualRegistry({ limits });
  const link = stage.link();
  stage.registry.admit(new AdmittedLink(link.relay), stage.seat().ticket);
  stage.scheduler.advance(FIRST_PACKET_MS - 1000);
  const player = new Player(stage.scheduler);
  player.attach(link.player);
  stage.scheduler.advance(10 * LINK_TIMEOUT_MS);
  expect(player.closes).toEqual([]);
  // The line falls silent: the player gets nothing more, and sends nothing.
  link.player.received = () => undefined;
  link.relay.received = () => undefined;
  const open = (): boolean => link.relay.state === "open";
  stage.scheduler.advance(LINK_TIMEOUT_MS - 500);
  expect(open()).toBe(true);
  stage.scheduler.advance(1500);
  expect(open()).toBe(false);
});
