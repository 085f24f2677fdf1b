export interface JoinOptions {
  readonly port: number;
  readonly onMessage: (bytes: Uint8Array) => void;
}

/** A client that has joined the room. */
export interface RelayClient {
  /** To all others, not to itself. The bytes are not changed any more. `isPrompt`: it must not wait for others, if the system knows such. */
  readonly send: (bytes: Uint8Array, isPrompt: boolean) => void;
}

/** Something that passes messages on between the members of one room. */
export interface RelaySystem {
  readonly name: string;
  /** npm packages of rivals whose versions belong to the figures. */
  readonly packages: readonly string[];
  /** Resolves when it listens on 127.0.0.1. */
  serve(port: number): Promise<void>;
  join(options: JoinOptions): Promise<RelayClient>;
}
