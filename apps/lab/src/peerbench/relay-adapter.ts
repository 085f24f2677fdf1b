/**
 * The relay as an adapter for peerbench, an external comparison: bundle it with `pnpm bench --relay-adapter
 * FILE`.
 */
import { pacelineClient, pacelineWire } from "../relay/paceline-systems.js";
import type { RelaySystem } from "../relay/system.js";

interface ClientOptions {
  readonly port: number;
  readonly onMsg: (bytes: Uint8Array) => void;
}

function adapterFor(system: RelaySystem) {
  return {
    version: "0.1.0",
    server: ({ port }: { readonly port: number }) => system.serve(port),
    async client({ port, onMsg }: ClientOptions) {
      const { send } = await system.join({ port, onMessage: onMsg });
      return { send: (bytes: Uint8Array) => send(bytes, false), close: () => undefined };
    },
  };
}

export default {
  "paceline wire": adapterFor(pacelineWire),
  "paceline sendEvent": adapterFor(pacelineClient),
};
