/** Names of what is compared; the same keys stand in the published rows. */
export const systemNames = [
  "paceline",
  "paceline-webrtc",
  "colyseus",
  "socket.io",
  "ws",
  "geckos.io",
] as const;

export type SystemName = (typeof systemNames)[number];

/** Clients of one room, if a system has rooms and nothing else is asked for: members of a room hear of each other. */
export const ROOM_CLIENTS = 10;

/** One client that is connected. */
export interface Connected {
  /** Sends bytes that the server sends back; where the path allows loss, they may be lost. */
  send(bytes: Uint8Array): void;
  /** Called with what comes back. */
  onEcho: ((bytes: Uint8Array) => void) | undefined;
  /** Resolves when both sides have been told. */
  close(): void | Promise<void>;
}

/** A server and its clients, ours or a rival's, as `pnpm bench connect` uses all of them. */
export interface ConnectSystem {
  /** Starts a server in this process whose rooms take so many; resolves with its address. */
  serve(host: string, roomClients: number): Promise<string>;
  /** Connects a client in this process; rejects where that fails. */
  connect(url: string): Promise<Connected>;
}

/** Ways of joining whose time to the first state is measured. */
export const joinNames = [
  "paceline one step",
  "paceline by match",
  "paceline relay one step",
  "paceline relay by match",
  "colyseus",
  "socket.io",
] as const;

export type JoinName = (typeof joinNames)[number];

/** A room that holds a state, and how to get it. */
export interface JoinSystem {
  serve(host: string): Promise<string>;
  /** Somebody whose state the others see, where the server has none of its own. */
  reside?(url: string): Promise<unknown>;
  /** Resolves when the first state is applied; then, `leave` ends it. */
  join(url: string): Promise<{ leave(): void | Promise<void> }>;
}
