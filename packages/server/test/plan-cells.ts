import type { ProbeCell } from "./plan-probe.js";

const near = { delayMs: 20 };
const lossy = (ratio: number, delayMs = 20) => ({ delayMs, loss: { kind: "uniform", ratio } }) as const;
const numbers = { stateHz: 20, sendPeriodMs: 33 };

/**
 * Cells for each row of the decision tree. A change of the row changes the result of at least one of its
 * cells.
 */
export const treeCells: Readonly<Record<string, ProbeCell>> = {
  "racing, mesh": { profile: "racing", topology: "mesh", network: near },
  "racing, mesh, page by https": { profile: "racing", topology: "mesh", network: near, page: "https:" },
  "rpg, mesh": { profile: "rpg", topology: "mesh", network: near },
  "strategy, mesh": { profile: "strategy", topology: "mesh", network: near },
  "puzzle, mesh": { profile: "puzzle", topology: "mesh", network: near },
  "racing, mesh, 3 players": { profile: "racing", topology: "mesh", network: near, players: 3 },
  "strategy, mesh, 3 players": { profile: "strategy", topology: "mesh", network: near, players: 3 },
  "racing for the CPU, 3 players": {
    profile: { base: "racing", favour: "cpu" },
    topology: "mesh",
    network: near,
    players: 3,
  },
  "racing, low battery": {
    profile: { base: "racing", device: { battery: "low" } },
    topology: "mesh",
    network: near,
  },
  "racing, low battery, 3 players": {
    profile: { base: "racing", device: { battery: "low" } },
    topology: "mesh",
    network: near,
    players: 3,
  },
  "racing, good battery, fixed network": {
    profile: { base: "racing", device: { battery: "ok", network: "fixed" } },
    topology: "mesh",
    network: near,
  },
  "racing, mobile network": {
    profile: { base: "racing", device: { network: "mobile" } },
    topology: "mesh",
    network: near,
  },
  "rpg, low battery": {
    profile: { base: "rpg", device: { battery: "low" } },
    topology: "mesh",
    network: near,
  },
  "rpg, mobile network": {
    profile: { base: "rpg", device: { network: "mobile" } },
    topology: "mesh",
    network: near,
  },
  "rpg, mesh, narrow": {
    profile: "rpg",
    topology: "mesh",
    network: { delayMs: 20, rateBps: 64_000, queueBytes: 16_000 },
    fillBytesPerSecond: 9000,
    warmUpMs: 9000,
  },
  "racing for bandwidth": {
    profile: { base: "racing", favour: "bandwidth" },
    topology: "mesh",
    network: near,
  },
  "racing, hidden addresses": {
    profile: { base: "racing", exposeAddress: false },
    topology: "mesh",
    network: near,
  },
  "racing, no WebRTC": { profile: "racing", topology: "mesh", network: near, webRtcPlayers: 0 },
  "racing, one direct peer, 3 players": {
    profile: { base: "racing", numbers: { maxDirectPeers: 1 } },
    topology: "mesh",
    network: near,
    players: 3,
  },
  "racing, mesh, sheep within the budget": { profile: "racing", topology: "mesh", network: near, sheep: 10 },
  "racing, mesh, more sheep than the budget": {
    profile: { base: "racing", numbers: { stateBytesPerSecond: 2000 } },
    topology: "mesh",
    network: near,
    sheep: 30,
  },
  "racing, mesh, more sheep than the budget, 3 players": {
    profile: { base: "racing", numbers: { stateBytesPerSecond: 2000 } },
    topology: "mesh",
    network: near,
    players: 3,
    sheep: 30,
  },
  "racing, authority, sheep within the budget": {
    profile: "racing",
    topology: "authority",
    network: near,
    sheep: 30,
  },
  "racing, authority, more sheep than the room's budget": {
    profile: "racing",
    topology: "authority",
    network: near,
    sheep: 30,
    roomBytesPerSecond: 2000,
  },
  "racing, authority, WebRTC, more sheep than the profile's budget": {
    profile: { base: "racing", numbers: { stateBytesPerSecond: 2000 } },
    topology: "authority",
    network: near,
    serverHasWebRtc: true,
    sheep: 30,
  },
  "racing, little upload": {
    profile: { base: "racing", numbers: { uploadBytesPerSecond: 1000 } },
    topology: "mesh",
    network: near,
  },
  "racing, mesh, loss 3 %": { profile: "racing", topology: "mesh", network: lossy(0.03), warmUpMs: 12_000 },
  "racing, mesh, loss 20 %": { profile: "racing", topology: "mesh", network: lossy(0.2), warmUpMs: 10_000 },
  "strategy, mesh, loss 5 %": { profile: "strategy", topology: "mesh", network: lossy(0.05) },
  "racing, mesh, far": { profile: "racing", topology: "mesh", network: { delayMs: 120 } },
  "shooter, mesh, jitter": {
    profile: "shooter",
    topology: "mesh",
    network: { delayMs: 60, jitterMs: 20 },
    warmUpMs: 9000,
  },
  "racing, mesh, narrow": {
    profile: "racing",
    topology: "mesh",
    network: { delayMs: 20, rateBps: 64_000, queueBytes: 16_000 },
    fillBytesPerSecond: 9000,
    warmUpMs: 9000,
  },
  "racing, relay": { profile: "racing", topology: "relay", network: near },
  "racing, relay, WebRTC": { profile: "racing", topology: "relay", network: near, serverHasWebRtc: true },
  "racing for bandwidth, relay, WebRTC": {
    profile: { base: "racing", favour: "bandwidth" },
    topology: "relay",
    network: near,
    serverHasWebRtc: true,
  },
  "action, relay, WebRTC": { profile: "action", topology: "relay", network: near, serverHasWebRtc: true },
  "racing, relay, own WebRTC missing": {
    profile: "racing",
    topology: "relay",
    network: near,
    webRtcPlayers: 0,
    serverHasWebRtc: true,
  },
  "rpg, relay, WebRTC": { profile: "rpg", topology: "relay", network: near, serverHasWebRtc: true },
  "rpg, authority, WebRTC, loss 8 %": {
    profile: { base: "rpg", numbers },
    topology: "authority",
    network: lossy(0.08, 60),
    serverHasWebRtc: true,
    warmUpMs: 20_000,
  },
  "puzzle for the CPU, moving, authority, WebRTC": {
    profile: { base: "puzzle", movement: "free" },
    topology: "authority",
    network: near,
    serverHasWebRtc: true,
  },
  "strategy, relay, WebRTC": { profile: "strategy", topology: "relay", network: near, serverHasWebRtc: true },
  "strategy for latency, mesh, one without WebRTC, server with it": {
    profile: { base: "strategy", favour: "latency" },
    topology: "mesh",
    network: near,
    webRtcPlayers: 1,
    serverHasWebRtc: true,
  },
  "strategy, authority, inputs over a narrow line": {
    profile: "strategy",
    topology: "authority",
    network: { delayMs: 20, rateBps: 16_000, queueBytes: 500 },
    hasInputs: true,
    fillBytesPerSecond: 4000,
    fillMs: 3000,
    // Until the queue is empty and the old plan is back.
    warmUpMs: 45_000,
  },
  "strategy, relay, lockstep": { profile: "strategy", topology: "relay", network: near, hasLockstep: true },
  "strategy, authority, WebRTC": {
    profile: "strategy",
    topology: "authority",
    network: near,
    serverHasWebRtc: true,
  },
  "shooter, authority": { profile: "shooter", topology: "authority", network: near },
  "shooter, authority, WebRTC": {
    profile: "shooter",
    topology: "authority",
    network: near,
    serverHasWebRtc: true,
  },
  "mmo, authority, WebRTC": { profile: "mmo", topology: "authority", network: near, serverHasWebRtc: true },
  "action, relay, loss 5 %": {
    profile: { base: "action", numbers },
    topology: "relay",
    network: lossy(0.05, 60),
    warmUpMs: 20_000,
  },
  "action, relay, loss 10 %": {
    profile: { base: "action", numbers },
    topology: "relay",
    network: lossy(0.1, 60),
    warmUpMs: 20_000,
  },
  "strategy, relay, loss 10 %": {
    profile: { base: "strategy", numbers: { stateHz: 20 } },
    topology: "relay",
    network: lossy(0.1, 60),
    warmUpMs: 20_000,
  },
};
