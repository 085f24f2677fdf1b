import type { ServerConnectionHandlers } from "../connection/server-connection-options.js";
import type { EarlyTasks } from "../events/early-tasks.js";

/** Reports that cannot wait. */
const urgent = ["onNewSession", "onWelcome", "onLeft"] as const;

type Urgent = (typeof urgent)[number];

/**
 * Returns handlers that hold what the server sends until the room can take it. A held report then goes to the
 * handlers that `room` returns.
 * @param own handlers of reports that cannot wait
 */
export function earlyHandlers(
  early: EarlyTasks,
  room: () => ServerConnectionHandlers,
  own: Pick<ServerConnectionHandlers, Urgent>,
): ServerConnectionHandlers {
  const hold =
    (name: Exclude<keyof ServerConnectionHandlers, Urgent>) =>
    (...report: never[]): boolean =>
      early.run("room", () => {
        const take: (...report: never[]) => boolean | void = room()[name];
        return take(...report);
      });
  const isUrgent = (name: keyof ServerConnectionHandlers): name is Urgent =>
    (urgent as readonly string[]).includes(name);
  return new Proxy(own as ServerConnectionHandlers, {
    get: (_, name: keyof ServerConnectionHandlers) => (isUrgent(name) ? own[name] : hold(name)),
  });
}
