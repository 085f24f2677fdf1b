import {
  ByteWriter,
  PayloadKind,
  readEnvelope,
  readServerMessage,
  writeControl,
  writeEnvelope,
  type ClientMessage,
  type Envelope,
  type ServerMessage,
} from "@paceline/protocol";
import { Session, type Link, type LinkClose, type Scheduler } from "@paceline/transport";

type MessageOf<Type extends ServerMessage["type"]> = Extract<ServerMessage, { type: Type }>;

/** A participant in a test: the client's half of the protocol, and all that it received from the relay. */
export class Player {
  readonly session: Session;
  readonly messages: ServerMessage[] = [];
  readonly forwarded: Envelope[] = [];
  readonly closes: LinkClose[] = [];
  end: LinkClose | undefined;
  /** The first welcome: a flood asks for its number in every packet. */
  #welcome: MessageOf<"welcome"> | undefined;
  /** Gets each forwarded packet, if a test needs more than {@link forwarded}. */
  onForwarded: ((envelope: Envelope) => void) | undefined;

  constructor(scheduler: Scheduler) {
    this.session = new Session({
      scheduler,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onRouted: (packet) => {
          const envelope = readEnvelope(packet);
          if (typeof envelope === "string") throw new Error(`the relay sent a bad envelope: ${envelope}`);
          this.forwarded.push(envelope);
          this.onForwarded?.(envelope);
        },
        onLinkDown: (_, close) => this.closes.push(close),
        onClosed: (close) => {
          this.end = close;
        },
      },
    });
  }

  of<Type extends ServerMessage["type"]>(type: Type): MessageOf<Type>[] {
    return this.messages.filter((message): message is MessageOf<Type> => message.type === type);
  }

  get welcome(): MessageOf<"welcome"> {
    this.#welcome ??= this.of("welcome")[0];
    if (!this.#welcome) throw new Error("no welcome yet");
    return this.#welcome;
  }

  get resumeToken(): string {
    return this.of("resumed").at(-1)?.resumeToken ?? this.welcome.resumeToken;
  }

  get number(): number {
    return this.welcome.number;
  }

  /**
   * The end of the session, or else of its first link. The relay sends it in a message, in the close code, or
   * both.
   */
  get close(): LinkClose | undefined {
    return this.end ?? this.closes[0];
  }

  get firstBytes(): (number | undefined)[] {
    return this.forwarded.map(({ packet }) => packet[0]);
  }

  attach(link: Link): void {
    this.session.attach(link, {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 5000,
      timeoutMs: 10_000,
      heartbeatMs: 1000,
    });
  }

  tell(message: ClientMessage): void {
    this.session.sendReliable(writeControl(message));
  }

  forward(to: readonly Player[], packet: Uint8Array, more: Partial<Envelope> = {}): void {
    const envelope: Envelope = {
      trafficClass: "command",
      key: 0,
      peers: to.map((player) => player.number),
      packet,
      ...more,
    };
    const writer = new ByteWriter();
    writeEnvelope(writer, envelope);
    this.session.activeLink?.send(envelope.trafficClass, writer.take(), envelope.key);
  }

  #receive(payload: Uint8Array): void {
    const message = payload[0] === PayloadKind.control ? readServerMessage(payload.subarray(1)) : undefined;
    if (!message) throw new Error("the relay sent a bad control message");
    this.messages.push(message);
  }
}
