import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { malformed, type OriginPolicy, type OriginRefusal } from "./origin-policy.js";

/** The handlers of an HTTP server, and who may reach them. */
export interface HttpEntrance {
  /** Decides which requests reach `answer`. */
  readonly origins: OriginPolicy;
  /**
   * Answers paths that check the page themselves, or that anybody may ask for, such as a health check. Returns
   * false for other paths.
   */
  readonly open?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers all other paths. May return a promise. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** Takes an upgrade. Returns false for an upgrade that is not its own. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
  /** Called for each refused request. */
  readonly onRefused?: (refusal: OriginRefusal) => void;
  /** Called for each error of a handler. */
  readonly onFault: (place: "request" | "upgrade", error: unknown) => void;
}

/**
 * Passes the requests and upgrades of an HTTP server to their handlers. Refuses requests with an invalid target
 * or `Host` (400), and those that the origin policy refuses (403, 421). An error of a handler ends its request
 * with 500, and never the process.
 */
export function guardHttp(server: Server, entrance: HttpEntrance): void {
  const { upgrade = () => false, onFault } = entrance;
  server.on("request", (request, response) => {
    // Without a listener, an error of the response would end the process.
    response.on("error", () => undefined);
    receive(entrance, request, response).catch((error: unknown) => {
      answerFailure(response);
      onFault("request", error);
    });
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    try {
      if (!upgrade(request, socket, head)) socket.destroy();
    } catch (error) {
      socket.destroy();
      onFault("upgrade", error);
    }
  });
  // Before that, an error of the server means that it cannot listen, which its starter handles.
  server.once("listening", () => server.on("error", (error) => onFault("request", error)));
}

async function receive(
  { origins, open, answer, onRefused }: HttpEntrance,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const formRefusal = origins.malformed(request);
  if (!formRefusal && open?.(request, response)) return;
  const refusal = formRefusal ?? namelessOf(request) ?? origins.refusalOf(request);
  if (!refusal) return void (await answer(request, response));
  onRefused?.(refusal);
  refuse(response, refusal);
}

/** HTTP/1.0 may leave `Host` out, as health checks of load balancers do, but no browser does. */
function namelessOf({ headers }: IncomingMessage): OriginRefusal | undefined {
  return headers.host === undefined ? malformed("expected one Host, got none") : undefined;
}

/** Answers with the reason of a refusal. Closes the connection, since the body of the request is unread. */
export function refuse(response: ServerResponse, { status, message }: OriginRefusal): void {
  const type = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  response.writeHead(status, { ...type, "Cache-Control": "no-store", Connection: "close" });
  response.end(`${message}\n`);
}

/** Answers 500 to a request that failed. If an answer has begun, destroys the response. */
export function answerFailure(response: ServerResponse): void {
  try {
    if (response.headersSent) return void response.destroy();
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
    response.end("The server failed at this request.\n");
  } catch {
    response.destroy();
  }
}
