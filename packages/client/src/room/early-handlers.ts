import type { ServerConnectionHandlers } from "../connection/server-connection-options.js";
import type { EarlyTasks } from "../events/early-tasks.js";

/** Handlers of reports that cannot wait. */
type Own = Pick<ServerConnectionHandlers, "onNewSession" | "onWelcome" | "onLeft">;

/**
 * Returns handlers that hold what the server sends until the room can take it. A held report then goes to the
 * handlers that `room` returns.
 * @param own handlers of reports that cannot wait
 */
export function earlyHandlers(
  early: EarlyTasks,
  room: () => ServerConnectionHandlers,
  own: Own,
): ServerConnectionHandlers {
  const hold =
    (name: Exclude<keyof ServerConnectionHandlers, keyof Own>) =>
    (...report: never[]): boolean =>
      early.run("room", () => {
        const take: (...report: never[]) => boolean | void = room()[name];
        return take(...report);
      });
  return new Proxy(own, {
    get: (_, name) => own[name as keyof Own] ?? hold(name as Parameters<typeof hold>[0]),
  }) as ServerConnectionHandlers;
}
