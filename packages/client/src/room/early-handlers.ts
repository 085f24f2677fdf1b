import type { ServerConnectionHandlers } from "../connection/server-connection-options.js";
import type { EarlyTasks } from "../events/early-tasks.js";

/**
 * Returns handlers that hold what the server sends until the room can take it. A held report then goes to the
 * handlers that `room` returns.
 * @param own handlers of reports that cannot wait
 */
export function earlyHandlers(
  early: EarlyTasks,
  room: () => ServerConnectionHandlers,
  own: Pick<ServerConnectionHandlers, "onWelcome" | "onLeft">,
): ServerConnectionHandlers {
  const hold = (pass: (room: ServerConnectionHandlers) => boolean | void): boolean =>
    early.run("room", () => pass(room()));
  return {
    ...own,
    onResumed: () => void hold((taker) => taker.onResumed()),
    onMoved: (reason) => void hold((taker) => taker.onMoved(reason)),
    onDrop: (reason) => void hold((taker) => taker.onDrop(reason)),
    onControl: (message) => void hold((taker) => taker.onControl(message)),
    onAuthority: (payload) => hold((taker) => taker.onAuthority(payload)),
    onAuthorityEvent: (body) => hold((taker) => taker.onAuthorityEvent(body)),
    onAuthorityState: (body, tick, cameAtMs) =>
      void hold((taker) => taker.onAuthorityState(body, tick, cameAtMs)),
    onRouted: (packet) => void hold((taker) => taker.onRouted(packet)),
    onAcknowledged: (sequence) => void hold((taker) => taker.onAcknowledged(sequence)),
    onPong: (times) => void hold((taker) => taker.onPong(times)),
    onSockets: (sockets, reason) => void hold((taker) => taker.onSockets(sockets, reason)),
    onStalls: () => void hold((taker) => taker.onStalls()),
  };
}
