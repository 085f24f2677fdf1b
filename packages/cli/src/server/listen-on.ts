import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Resolves with the server's address once it accepts connections. */
export function listenOn(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      const bound = server.address() as AddressInfo;
      const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
      resolve(`http://${name}:${bound.port}`);
    });
  });
}
