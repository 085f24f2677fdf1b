/** State of a room's connection to its server. */
export type ConnectionState = "joining" | "joined" | "dropped" | "left";

export type ConnectionEvent = "welcomed" | "linkDown" | "resumed" | "refused" | "leave";

/** All valid transitions; other events are ignored. Printed into docs/STATE-MACHINES.md. */
export const connectionTransitions: Readonly<
  Record<ConnectionState, Readonly<Partial<Record<ConnectionEvent, ConnectionState>>>>
> = {
  joining: { welcomed: "joined", refused: "left", leave: "left" },
  joined: { linkDown: "dropped", refused: "left", leave: "left" },
  dropped: { resumed: "joined", welcomed: "joined", refused: "left", leave: "left" },
  left: {},
};

/** Returns the state after `event`, or undefined if the event is not valid in `state`. */
export function nextConnectionState(
  state: ConnectionState,
  event: ConnectionEvent,
): ConnectionState | undefined {
  return connectionTransitions[state][event];
}
