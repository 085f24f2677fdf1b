import { createHash, createHmac, randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";

/** Message types and attributes of RFC 8489 and RFC 8656. */
const ALLOCATE = 0x0003;
const CREATE_PERMISSION = 0x0008;
const Attribute = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  xorPeerAddress: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  requestedAddressFamily: 0x0017,
  requestedTransport: 0x0019,
} as const;
const COOKIE = Buffer.from("2112a442", "hex");
const SUCCESS = 200;
const ANSWER_WITHIN_MS = 3000;

/** Status of an answer: 200, or the code of the error. */
interface Answer {
  readonly code: number;
  readonly attributes: ReadonlyMap<number, Buffer>;
}

/** A user of a TURN server, with a password of the REST API that coturn shares with a Paceline server. */
export class TurnClient {
  readonly #exchange: (request: Buffer) => Promise<Buffer>;
  readonly #username = `${Math.floor(Date.now() / 1000) + 600}:${randomBytes(4).toString("hex")}`;
  readonly #password: string;
  readonly close: () => void;
  #realm: Buffer = Buffer.alloc(0);
  #nonce: Buffer = Buffer.alloc(0);

  private constructor(exchange: (request: Buffer) => Promise<Buffer>, secret: string, close: () => void) {
    this.#exchange = exchange;
    this.#password = createHmac("sha1", secret).update(this.#username).digest("base64");
    this.close = close;
  }

  static async overUdp(address: string, port: number, secret: string): Promise<TurnClient> {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.connect(port, address);
    await once(socket, "connect");
    const exchange = async (request: Buffer): Promise<Buffer> => {
      socket.send(request);
      const [answer] = (await once(socket, "message", within())) as [Buffer];
      return answer;
    };
    return new TurnClient(exchange, secret, () => socket.close());
  }

  static async overTcp(address: string, port: number, secret: string): Promise<TurnClient> {
    const socket = connect(port, address);
    await once(socket, "connect", within());
    const exchange = async (request: Buffer): Promise<Buffer> => {
      socket.write(request);
      const [answer] = (await once(socket, "data", within())) as [Buffer];
      return answer;
    };
    return new TurnClient(exchange, secret, () => socket.destroy());
  }

  /** Asks for a relay of data over UDP or TCP; of IPv6 where the address family is 2. */
  async allocate(transport: "udp" | "tcp", family: 1 | 2 = 1): Promise<number> {
    const attributes: [number, Buffer][] = [
      [Attribute.requestedTransport, Buffer.of(transport === "udp" ? 17 : 6, 0, 0, 0)],
      ...(family === 2
        ? [[Attribute.requestedAddressFamily, Buffer.of(2, 0, 0, 0)] as [number, Buffer]]
        : []),
    ];
    // The first answer says for which realm and with which nonce.
    const { code, attributes: known } = await this.#ask(ALLOCATE, attributes, false);
    if (code !== 401) return code;
    this.#realm = known.get(Attribute.realm)!;
    this.#nonce = known.get(Attribute.nonce)!;
    return (await this.#ask(ALLOCATE, attributes, true)).code;
  }

  /** Asks to send to a peer: 200, or 403 where the server does not let it. `peer`: the bytes of its address. */
  async permit(peer: Buffer): Promise<number> {
    const mask = Buffer.concat([COOKIE, this.#transaction]);
    const masked = Buffer.from(peer.map((byte, index) => byte ^ mask[index]!));
    const head = Buffer.of(0, peer.length === 4 ? 1 : 2, 0x21 ^ 0x12, 0x12 ^ 0x34);
    return (
      await this.#ask(CREATE_PERMISSION, [[Attribute.xorPeerAddress, Buffer.concat([head, masked])]], true)
    ).code;
  }

  /** One for all: requests go one after the other. */
  readonly #transaction = randomBytes(12);

  async #ask(type: number, given: readonly [number, Buffer][], isSigned: boolean): Promise<Answer> {
    const attributes = [...given];
    if (isSigned) {
      attributes.push([Attribute.username, Buffer.from(this.#username)]);
      attributes.push([Attribute.realm, this.#realm], [Attribute.nonce, this.#nonce]);
    }
    let message = this.#message(type, attributes, 0);
    if (isSigned) {
      const key = createHash("md5")
        .update(`${this.#username}:${this.#realm.toString()}:${this.#password}`)
        .digest();
      const unsigned = this.#message(type, attributes, 24);
      const signature = createHmac("sha1", key).update(unsigned).digest();
      message = Buffer.concat([unsigned, Buffer.of(0, Attribute.messageIntegrity, 0, 20), signature]);
    }
    return read(await this.#exchange(message));
  }

  /** `more`: bytes that follow and count. */
  #message(type: number, attributes: readonly [number, Buffer][], more: number): Buffer {
    const body = Buffer.concat(attributes.map(([kind, value]) => attribute(kind, value)));
    const head = Buffer.alloc(4);
    head.writeUInt16BE(type, 0);
    head.writeUInt16BE(body.length + more, 2);
    return Buffer.concat([head, COOKIE, this.#transaction, body]);
  }
}

function within(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
}

function attribute(kind: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(kind, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

function read(answer: Buffer): Answer {
  const attributes = new Map<number, Buffer>();
  for (let at = 20; at + 4 <= answer.length;) {
    const length = answer.readUInt16BE(at + 2);
    attributes.set(answer.readUInt16BE(at), answer.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  const error = attributes.get(Attribute.errorCode);
  return { code: error ? error[2]! * 100 + error[3]! : SUCCESS, attributes };
}
