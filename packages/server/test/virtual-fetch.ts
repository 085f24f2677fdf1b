import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Relay } from "@paceline/relay";
import { vi } from "vitest";

/**
 * Answers match requests of clients under virtual time by this server, without a socket. `read`: runs its argument
 * when the server reads what has arrived: a request, or the end of the connection of a client that gives up.
 */
export function stubFetch(
  server: Pick<Relay, "handleRequest">,
  read: (fn: () => void) => void = (fn) => fn(),
): void {
  vi.stubGlobal("fetch", (url: string, { body, signal }: { readonly body: string; signal?: AbortSignal }) => {
    const asked = {
      method: "POST",
      url: new URL(url).pathname,
      headers: {},
      socket: { remoteAddress: "stage" },
    };
    const request = Object.assign(Readable.from([Buffer.from(body)]), asked);
    return new Promise<Response>((resolve, reject) => {
      let status = 0;
      const response = {
        destroyed: false,
        setHeader: () => undefined,
        writeHead: (code: number) => (status = code),
        end: (text: string) => resolve(new Response(text, { status })),
      };
      read(() =>
        server.handleRequest(request as unknown as IncomingMessage, response as unknown as ServerResponse),
      );
      signal?.addEventListener("abort", () => {
        read(() => void ended(response));
        reject(signal.reason as Error);
      });
    });
  });
}

/** Node destroys a response some turns after it has read the request and the end of the connection after it. */
async function ended(response: { destroyed: boolean }): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  response.destroyed = true;
}
