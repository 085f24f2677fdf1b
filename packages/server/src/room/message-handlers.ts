import {
  ConfigError,
  assertFunction,
  assertMessageType,
  truncateUtf8,
  writeAuthority,
  writePeerPayload,
  type PeerPayload,
} from "@paceline/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Refusal, type Bill, type Hooks, type Tariff } from "../hooks/hooks.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { Player } from "./player.js";

type Handler = (player: Player, message: unknown) => unknown;
interface Entry {
  readonly schema: StandardSchemaV1 | undefined;
  readonly handler: Handler;
  readonly tariff: Tariff;
}

/** The room's handlers of messages and requests. A schema checks each message before its handler runs. */
export class MessageHandlers {
  readonly #hooks: Hooks;
  readonly #counters: RoomCounters;
  readonly #listeners = new Map<string, Entry>();
  readonly #answers = new Map<string, Entry>();
  /** The tariff of all messages that have no handler of their own. */
  readonly #fallbackTariff: Tariff = { packets: 0 };

  constructor(hooks: Hooks, counters: RoomCounters) {
    this.#hooks = hooks;
    this.#counters = counters;
  }

  listen(type: string, schema: StandardSchemaV1 | undefined, handler: Handler): void {
    this.#add(this.#listeners, type, { schema, handler, tariff: { packets: 0 } });
  }

  answer(type: string, schema: StandardSchemaV1 | undefined, handler: Handler): void {
    this.#add(this.#answers, type, { schema, handler, tariff: { packets: 0 } });
  }

  /**
   * Passes a player's message to its handler. `fallback` is the room's `onAnyMessage`, for types without a
   * handler.
   */
  receive(
    player: Player,
    { type, message }: PeerPayload & { kind: "command" },
    fallback?: FallbackHandler,
  ): void {
    this.#counters.messages += 1;
    const { participant: payer } = player;
    const entry = this.#listeners.get(type);
    if (!entry) {
      const bill: Bill = { payer, tariff: this.#fallbackTariff };
      if (fallback) return this.#hooks.call("onMessage", () => fallback(player, type, message), bill);
      return this.#refused(player, `there is no message "${type}"`);
    }
    const handle = (): unknown => {
      const checked = checkedBy(entry.schema, message);
      if (!(checked instanceof Promise)) return this.#deliver(player, type, entry, checked);
      return checked.then((result) => this.#deliver(player, type, entry, result));
    };
    this.#hooks.call("onMessage", handle, { payer, tariff: entry.tariff });
  }

  /** Replies to a player's request with the result of its handler. */
  async reply(player: Player, { id, type, message }: PeerPayload & { kind: "request" }): Promise<void> {
    this.#counters.messages += 1;
    const { participant } = player;
    const send = (ok: boolean, answer: unknown): void => {
      // A page that the player opens next counts its requests from 1 again.
      if (player.participant !== participant) return;
      player.send(writePeerPayload({ kind: "reply", id, ok, message: answer }));
    };
    const entry = this.#answers.get(type);
    if (!entry) {
      this.#counters.messagesRefused += 1;
      return send(false, `there is no request "${type}"`);
    }
    const handle = async (): Promise<unknown> => {
      const checking = checkedBy(entry.schema, message);
      const checked = await checking;
      if (checked.issues) throw new Refusal(`${type}: ${issuesText(checked.issues)}`);
      if (checking instanceof Promise && !player.isIn) throw new Refusal(LEFT);
      return entry.handler(player, checked.value);
    };
    const outcome = await this.#hooks.wait("onRequest", handle, {
      payer: participant,
      tariff: entry.tariff,
    });
    if (!outcome.ok) {
      if (outcome.refusal !== undefined) this.#counters.messagesRefused += 1;
      return send(false, truncateUtf8(outcome.refusal ?? "the handler failed", MAX_REASON_BYTES));
    }
    this.#hooks.call("onRequest", () => sendAnswer(send, outcome.value));
  }

  #deliver(player: Player, type: string, { handler }: Entry, checked: Checked): unknown {
    // A schema may take its time.
    if (!player.isIn) return undefined;
    if (!checked.issues) return handler(player, checked.value);
    this.#refused(player, `${type}: ${issuesText(checked.issues)}`);
    return undefined;
  }

  #refused(player: Player, reason: string): void {
    this.#counters.messagesRefused += 1;
    player.send(writeAuthority({ type: "refused", what: "message", reason }));
  }

  #add(entries: Map<string, Entry>, type: string, entry: Entry): void {
    assertMessageType(type);
    assertFunction("handler", entry.handler);
    if (entry.schema !== undefined && typeof entry.schema["~standard"]?.validate !== "function") {
      const expected = "a Standard Schema validator, such as one of Zod, Valibot or ArkType";
      throw new ConfigError("schema", entry.schema, expected);
    }
    entries.set(type, entry);
  }
}

export type FallbackHandler = (player: Player, type: string, message: unknown) => unknown;
type Checked = StandardSchemaV1.Result<unknown>;

/**
 * Sends the answer. If it cannot be encoded, the handler counts as failed and the player gets an error reply.
 */
function sendAnswer(send: (ok: boolean, answer: unknown) => void, answer: unknown): void {
  try {
    send(true, answer);
  } catch (error) {
    send(false, "the handler failed");
    throw error;
  }
}

function checkedBy(schema: StandardSchemaV1 | undefined, value: unknown): Checked | Promise<Checked> {
  return schema ? schema["~standard"].validate(value) : { value };
}

const MAX_REASON_BYTES = 400;
const LEFT = "the player has left";

/** Returns a schema's issues in words: `name: too short; speed: not a number`. */
export function issuesText(issues: readonly StandardSchemaV1.Issue[]): string {
  const texts = issues.slice(0, 4).map(({ message, path = [] }) => {
    const where = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    return where === "" ? message : `${where}: ${message}`;
  });
  return truncateUtf8(texts.join("; "), MAX_REASON_BYTES);
}
