import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { CloseCode, WEBSOCKET_PROTOCOL, limits as wireLimits } from "@paceline/protocol";
import { WebSocketListener } from "@paceline/transport/node";
import type { Link } from "@paceline/transport";
import { addressBuckets, type AddressBuckets } from "./limits/address-buckets.js";
import { AddressShares } from "./limits/address-shares.js";
import { Connection } from "./admission/connection.js";
import { AdmittedLink } from "./admission/admitted-link.js";
import type { MatchParts } from "./match-handler.js";
import { refuseMatch } from "./session-registry.js";
import { isRefusal, readJoinCredential, tooManyMatches } from "./matchmaking/match-request.js";
import type { RelaySettings } from "./options/relay-options.js";
import { endNow } from "./admission/socket-endings.js";
import { WriteBatch } from "./admission/write-batch.js";

/** Version, flags, class, key and count, then 16 bits for each target. */
const ENVELOPE_BYTES = 5 + 2 * wireLimits.envelopeTargets;
const INSPECTION_PERIOD_MS = 1000;
/**
 * Longest wait for a newcomer's first packet after a pause, ms: more than the round trip of a path on which one can
 * play. A client may say nothing before its welcome.
 */
const HEARD_WITHIN_MS = 3000;
/**
 * Larger than one packet, so that many small packets for a receiver do not wait for the next poll of its
 * queue.
 */
const HIGH_WATER_BYTES = 16_384;

/** The parts of a WebSocket upgrade that a link needs. */
export interface LinkRequest {
  readonly address: string;
  readonly headers?: IncomingMessage["headers"];
  /** Subprotocols that the client offers: the protocol's name and a credential. */
  readonly protocols: readonly string[];
}

/** Opens links for clients with a ticket, a token or a match request. */
export class UpgradeHandler {
  readonly #settings: RelaySettings;
  readonly #parts: MatchParts;
  readonly #listener: WebSocketListener;
  readonly #buckets: AddressBuckets;
  readonly #shares: AddressShares;
  readonly #batch = new WriteBatch();
  readonly #connections = new Set<Connection>();
  readonly #stopInspecting: () => void;
  #onEmpty: (() => void) | undefined;

  constructor(parts: MatchParts) {
    const { settings } = parts;
    const { limits, scheduler } = settings;
    this.#settings = settings;
    this.#parts = parts;
    this.#listener = new WebSocketListener({
      maxPacketBytes: wireLimits.reliablePacketBytes + ENVELOPE_BYTES,
      scheduler,
      highWaterBytes: HIGH_WATER_BYTES,
    });
    this.#buckets = addressBuckets(settings, "linksPerSecondPerAddress", "linkBurstPerAddress");
    this.#shares = new AddressShares(limits.maxConnections, limits.addressSharePercent);
    this.#stopInspecting = scheduler.every(INSPECTION_PERIOD_MS, () => this.#inspect());
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /**
   * Takes an upgrade. Refuses with close codes if possible, since a browser cannot see an HTTP status here.
   */
  open(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.#settings.faults.contain("upgrade", () => this.#open(request, socket, head))) socket.destroy();
  }

  #open(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the upgrade is done nothing else handles `error`, and an unhandled one would end the process.
    socket.on("error", () => undefined);
    if (this.#connections.size >= this.#settings.limits.maxConnections) {
      this.#settings.counters.count("linkCloses", "tooManyConnections");
      return endNow(socket, "503 Service Unavailable");
    }
    const address = this.#settings.addressOf(request);
    const isInRate = this.#buckets.take(address);
    if (!isInRate || !this.#shares.admits(address)) {
      this.#settings.counters.count("limited", isInRate ? "connectionsPerAddress" : "linksPerAddress");
      return endNow(socket, "429 Too Many Requests");
    }
    const connection = new Connection({
      socket,
      scheduler: this.#settings.scheduler,
      batch: this.#batch,
      onClosing: (code) => this.#settings.counters.countClose("linkCloses", code),
      onClosed: (closed) => this.#closed(closed, address),
    });
    this.#connections.add(connection);
    this.#shares.take(address);
    this.#listener.accept(request, socket, head, {
      onLink: ({ link, offeredProtocols, request: upgraded }) => {
        const admitted = new AdmittedLink(link, connection, this.#settings.counters);
        connection.link = admitted;
        this.#enter(upgraded, admitted, offeredProtocols);
      },
      onStray: (payloadBytes) => connection.stray(payloadBytes),
    });
  }

  /** Takes a link that did not come over a socket of the server, such as a test's. */
  take(link: Link, request: LinkRequest): void {
    const { address, headers = {}, protocols } = request;
    const asked = { headers, socket: { remoteAddress: address } } as unknown as IncomingMessage;
    this.#enter(asked, new AdmittedLink(link), protocols);
  }

  /** Resolves when every socket is closed. Cuts sockets that are still open after `drainMs`. */
  close(drainMs: number): Promise<void> {
    this.#stopInspecting();
    this.#listener.close();
    const cancel = this.#settings.scheduler.after(drainMs, () => {
      for (const connection of this.#connections) connection.destroy();
    });
    return new Promise((resolve) => {
      this.#onEmpty = () => {
        cancel();
        resolve();
      };
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  /** Lets a link in. That of a returning client counts from its first packet, for which it must listen now. */
  #enter(request: IncomingMessage, admitted: AdmittedLink, offeredProtocols: readonly string[]): void {
    const enter = (): void => {
      const admit = (): void => this.#admit(request, admitted, offeredProtocols);
      if (this.#settings.faults.contain("upgrade", admit)) return;
      admitted.link.close(CloseCode.internalError, "the server failed while it let this link in");
    };
    const isReturn = offeredProtocols.some((name) => name.startsWith("resume."));
    if (isReturn || !this.#parts.registry.pauses.isRecent) return enter();
    // A client that gave up during a pause closes its link only when that has opened, a round trip after the pause.
    this.#settings.scheduler.after(HEARD_WITHIN_MS, admitted.whenHeard(enter));
  }

  #admit(request: IncomingMessage, admitted: AdmittedLink, offeredProtocols: readonly string[]): void {
    const { addressOf } = this.#settings;
    admitted.address = addressOf(request);
    const refusal = this.#settings.origins.refusalOf(request);
    if (refusal) return admitted.link.close(CloseCode.originRefused, refusal.message);
    if (!offeredProtocols.includes(WEBSOCKET_PROTOCOL)) {
      return admitted.link.close(
        CloseCode.versionMismatch,
        `this server speaks ${WEBSOCKET_PROTOCOL}: update the older of the two, client or server`,
      );
    }
    const credential = offeredProtocols.find((name) => name !== WEBSOCKET_PROTOCOL) ?? "";
    const [kind, first = "", ...more] = credential.split(".");
    const [second = ""] = more;
    const { registry } = this.#parts;
    // A ticket is opaque text: another server may give out one with a dot.
    if (kind === "ticket")
      return registry.admit(admitted, credential.slice("ticket.".length), addressOf(request));
    if (kind === "resume" && more.length === 1) return registry.resume(admitted, first, second);
    if (kind === "join" && more.length === 0) return this.#join(request, admitted, first);
    if (kind === "stripe" && more.length === 0) return registry.stripe(admitted, first);
    admitted.link.close(CloseCode.refused, "no ticket and no token");
  }

  /** Handles a match request in the upgrade, under the limits of match requests over HTTP. */
  #join(request: IncomingMessage, admitted: AdmittedLink, credential: string): void {
    const { addressOf, limits, counters } = this.#settings;
    const caller = { address: addressOf(request), headers: request.headers };
    const wish = this.#parts.matches.take(caller.address)
      ? readJoinCredential(credential, limits.bodyBytes)
      : tooManyMatches;
    if (!isRefusal(wish)) return this.#parts.registry.join(admitted, wish, caller);
    counters.count("matchRefusals", wish.code);
    if (wish === tooManyMatches) counters.count("limited", "matchesPerAddress");
    refuseMatch(admitted, wish);
  }

  #closed(connection: Connection, address: string): void {
    this.#connections.delete(connection);
    this.#shares.release(address);
    if (this.#connections.size === 0) this.#onEmpty?.();
  }

  #inspect(): void {
    const { bytesPerSecond, byteBurst } = this.#settings.limits;
    const most = Math.max(bytesPerSecond, byteBurst);
    for (const connection of this.#connections)
      this.#settings.faults.contain("timer", () => connection.inspect(most));
  }
}
