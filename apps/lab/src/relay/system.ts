export interface JoinOptions {
  readonly port: number;
  readonly onMessage: (bytes: Uint8Array) => void;
}

export interface RelayClient {
  /**
   * Sends to all others. The bytes must not change afterwards. `isPrompt`: it must not wait, if the system
   * has such a class.
   */
  readonly send: (bytes: Uint8Array, isPrompt: boolean) => void;
}

/** A relay that forwards messages between the members of one room. */
export interface RelaySystem {
  readonly name: string;
  /** The rivals' npm packages, whose versions are reported. */
  readonly packages: readonly string[];
  /** Resolves when the server listens on 127.0.0.1. */
  serve(port: number): Promise<void>;
  join(options: JoinOptions): Promise<RelayClient>;
}
