// A number is never used again for another purpose.

/** Close codes of links and sessions (WebSocket private range: 4000 to 4999). */
export const CloseCode = {
  /** The participant left on purpose. */
  left: 4000,
  /** The server is shutting down. */
  serverShutdown: 4001,
  /** The other side was silent for longer than the deadline. */
  timeout: 4002,
  /** A newer link of the same session took over. */
  replaced: 4003,
  /** The game or an operator removed the participant. */
  kicked: 4004,
  /** The page went to sleep. It will come back with its token. */
  suspended: 4005,
  /** The room has ended: its authority closed it, or failed. */
  roomClosed: 4006,
  /**
   * The server failed while it served this session; its log has the stack. The client may join again as a
   * newcomer.
   */
  internalError: 4007,
  /** The page was closed or reloaded; the seat waits some seconds for the next page. */
  unloaded: 4008,
  /** The ticket or token is missing, malformed or not this client's. */
  refused: 4100,
  /** The seat ticket has expired, or this server did not issue it. */
  ticketExpired: 4101,
  /** The seat ticket was used before. */
  ticketUsed: 4102,
  /** The server does not know the session (any more). */
  sessionUnknown: 4103,
  /** The page's origin or host is not allowed; the reason names the setting. */
  originRefused: 4104,
  /** The other side uses another version of the protocol. */
  versionMismatch: 4105,
  /** No seat; the reason begins with the code of the match request, such as `match/full`. */
  matchRefused: 4106,
  /** The room's authority refused this player; the reason says why. */
  joinRefused: 4107,
  /** The other side sent malformed bytes repeatedly. */
  protocolViolation: 4200,
  /** The other side exceeded the limit of packets, bytes or messages per second for too long. */
  flooding: 4201,
  /** The other side does not read fast enough; its queue is full. */
  tooSlow: 4202,
  /** The session occupies too much of the server's memory with incomplete or unacknowledged messages. */
  overBudget: 4203,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

const finalCodes: ReadonlySet<number> = new Set([
  CloseCode.replaced,
  CloseCode.kicked,
  CloseCode.roomClosed,
  CloseCode.originRefused,
  CloseCode.versionMismatch,
  CloseCode.joinRefused,
  CloseCode.protocolViolation,
  CloseCode.flooding,
]);

/** Returns true for the end of a session after which the client does not come back by itself. */
export function isFinalClose(code: number): boolean {
  return finalCodes.has(code);
}

/** Returns true if the game's same call may find a seat after a session has ended with this code. */
export function mayJoinAgain(code: number): boolean {
  return code === CloseCode.roomClosed || (code !== CloseCode.left && !isFinalClose(code));
}
