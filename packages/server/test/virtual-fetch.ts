import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Relay } from "@paceline/relay";
import { vi } from "vitest";

/** Answers match requests of clients under virtual time by this server, without a socket. */
export function stubFetch(server: Pick<Relay, "handleRequest">): void {
  vi.stubGlobal("fetch", (url: string, { body }: { readonly body: string }) => {
    const asked = {
      method: "POST",
      url: new URL(url).pathname,
      headers: {},
      socket: { remoteAddress: "stage" },
    };
    const request = Object.assign(Readable.from([Buffer.from(body)]), asked);
    return new Promise<Response>((resolve) => {
      let status = 0;
      const response = {
        setHeader: () => undefined,
        writeHead: (code: number) => (status = code),
        end: (text: string) => resolve(new Response(text, { status })),
      };
      server.handleRequest(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    });
  });
}
