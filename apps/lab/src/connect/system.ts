/** Names of the compared systems; published rows use them as keys. */
export const systemNames = [
  "paceline",
  "paceline-webrtc",
  "colyseus",
  "socket.io",
  "ws",
  "geckos.io",
] as const;

export type SystemName = (typeof systemNames)[number];

/** Default number of clients in a room, for systems with rooms: members of a room get each other's events. */
export const ROOM_CLIENTS = 10;

/** One connected client. */
export interface Connected {
  /** Sends bytes that the server echoes; on an unreliable path they may be lost. */
  send(bytes: Uint8Array): void;
  /** Called with each echo. */
  onEcho: ((bytes: Uint8Array) => void) | undefined;
  /** Resolves when both sides have closed the connection. */
  close(): void | Promise<void>;
}

/** A server and its clients, of Paceline or of a rival, for `pnpm bench connect`. */
export interface ConnectSystem {
  /** Starts a server in this process whose rooms take `roomClients` clients; resolves with its address. */
  serve(host: string, roomClients: number): Promise<string>;
  /** Connects a client in this process; rejects if that fails. */
  connect(url: string): Promise<Connected>;
}

/** Ways to join, whose time to the first state is measured. */
export const joinNames = [
  "paceline one step",
  "paceline by match",
  "paceline relay one step",
  "paceline relay by match",
  "colyseus",
  "socket.io",
] as const;

export type JoinName = (typeof joinNames)[number];

/** A server with a room that holds a state, and clients that join it. */
export interface JoinSystem {
  serve(host: string): Promise<string>;
  /** Joins a resident whose state the others see, if the server has none of its own. */
  reside?(url: string): Promise<unknown>;
  /** Joins, and resolves when the first state is applied. */
  join(url: string): Promise<{ leave(): void | Promise<void> }>;
}
