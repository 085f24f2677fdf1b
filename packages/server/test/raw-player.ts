import {
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  readFromAuthority,
  readPeerPayload,
  readServerMessage,
  writeAuthority,
  type FromAuthority,
  type PeerPayload,
  type ToAuthority,
} from "@paceline/protocol";
import { seededRandom, virtualSocketPair } from "@paceline/testkit";
import type { RoomStage } from "@paceline/testkit/room";
import { Session, WebSocketLink, type LinkClose } from "@paceline/transport";
import type { Room } from "@paceline/server";
import { PausableLink } from "./pausable-link.js";

const STEP_MS = 5;

/** A participant of a staged room that writes the protocol by hand, invalid messages included. */
export class RawPlayer {
  readonly session: Session;
  readonly heard: FromAuthority[] = [];
  readonly replies: PeerPayload[] = [];
  /** Number of packets from other participants, which come in a routing envelope. */
  routed = 0;
  number = 0;
  close: LinkClose | undefined;
  /** The times that the server has continued the session over another link. */
  resumed = 0;
  /** The server's end of the newest link. */
  serverLink!: PausableLink | WebSocketLink;
  /** False: the server cannot pause the reading of the link, as with WebRTC. */
  readonly #isPausable: boolean;
  readonly #stage: RoomStage<Room>;
  #resumeCredential = "";
  #sessionId = "";

  private constructor(stage: RoomStage<Room>, request: object, isPausable: boolean) {
    const { scheduler } = stage;
    this.#isPausable = isPausable;
    this.#stage = stage;
    this.session = new Session({
      scheduler,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onRouted: () => (this.routed += 1),
        onClosed: (close) => (this.close ??= close),
        onLinkDown: (_, close) => (this.close ??= close),
      },
    });
    const body = { version: 5, method: "joinOrCreate", target: "staged", options: {}, ...request };
    this.#connect(`join.${Buffer.from(JSON.stringify(body)).toString("base64url")}`);
  }

  /** Continues the session over another link, as after a cut. The old link is open still. */
  resume(): void {
    this.#connect(this.#resumeCredential);
  }

  #connect(credential: string): void {
    const { scheduler, server } = this.#stage;
    const pair = virtualSocketPair({ scheduler, random: seededRandom(1), settings: {} });
    const options = { scheduler };
    this.serverLink = this.#isPausable
      ? new PausableLink(pair.server, options)
      : new WebSocketLink(pair.server, options);
    server.takeLink(this.serverLink, {
      address: "raw",
      protocols: [WEBSOCKET_PROTOCOL, credential],
    });
    this.session.attach(new WebSocketLink(pair.player, { scheduler }), {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 5000,
      timeoutMs: 60_000,
      heartbeatMs: 1000,
    });
  }

  /** Joins a room. `request` adds fields to the join request, such as `{ spectate: true }`. */
  static async join(stage: unknown, request: object = {}, isPausable = true): Promise<RawPlayer> {
    const player = new RawPlayer(stage as RoomStage<Room>, request, isPausable);
    for (let step = 0; step < 200 && player.number === 0; step++)
      await (stage as RoomStage<Room>).advance(STEP_MS);
    if (player.number === 0) throw new Error("no welcome came");
    return player;
  }

  /** Sends messages to the authority. Returns false if the session is over or its queue is full. */
  tell(...messages: readonly ToAuthority[]): boolean {
    if (this.session.isClosed || this.session.commands.length > 900) return false;
    this.session.sendAllReliable(messages.map((message) => writeAuthority(message)));
    return true;
  }

  #receive(payload: Uint8Array): void {
    if (payload[0] === PayloadKind.control) {
      const message = readServerMessage(payload.subarray(1));
      if (message?.type === "welcome") {
        this.number = message.number;
        this.#sessionId = message.sessionId;
      }
      if (message?.type === "resumed") this.resumed += 1;
      if (message?.type === "welcome" || message?.type === "resumed")
        this.#resumeCredential = `resume.${this.#sessionId}.${message.resumeToken}`;
      return;
    }
    const told = payload[0] === PayloadKind.authority ? readFromAuthority(payload.subarray(1)) : undefined;
    if (told) this.heard.push(told);
    const reply = told ? undefined : readPeerPayload(payload);
    if (reply) this.replies.push(reply);
  }
}
