import type { Room } from "@paceline/client";

/** Returns the room's state and its paths as JSON, without secrets and without the contents of messages. */
export async function bugReport(room: Room): Promise<string> {
  const { transport } = room;
  const peers = room.peers.map(({ number, path, channel, reason, rttMs, stats, drops }) => ({
    ...{ number, path, channel, reason, rttMs, stats, drops },
  }));
  const report = {
    at: new Date().toISOString(),
    atMs: room.nowMs(),
    page: location.origin,
    browser: navigator.userAgent,
    room: { name: room.name, id: room.roomId, myNumber: room.myNumber, state: room.state },
    profile: transport.profile,
    transports: transport.transports,
    simulated: transport.simulated ?? null,
    measured: transport.measured ?? null,
    server: transport.server,
    peers,
    drops: room.drops.toRecord(),
    why: await transport.explain({ details: true }),
    history: transport.history,
  };
  return JSON.stringify(report, undefined, 1);
}
