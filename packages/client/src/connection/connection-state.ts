import type { LinkClose } from "@paceline/transport";
import type { ServerJoin } from "./server-join.js";

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

/** The seat that a welcome has given, with its secrets. */
export interface OwnedSeat {
  readonly sessionId: string;
  readonly token: string;
  /** Token for the next link of the session. */
  resumeToken: string;
}

/** No link works, and the server has dropped the session. */
export interface Returning {
  readonly name: "dropped";
  readonly seat?: undefined;
  /** The server's answer to the last request for another seat. */
  refusal?: LinkClose | undefined;
}

/** The state of a connection, with what exists in it alone. */
export type Phase =
  | { readonly name: "joining"; readonly seat?: undefined; readonly join: ServerJoin }
  | { readonly name: "joined"; readonly seat: OwnedSeat }
  /** No link works, and the server may still have the session. */
  | { readonly name: "dropped"; readonly seat: OwnedSeat }
  | Returning
  | { readonly name: "left"; readonly seat: OwnedSeat | undefined; readonly close: LinkClose };
