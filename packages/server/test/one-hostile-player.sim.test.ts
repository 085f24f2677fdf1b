import {
  ByteWriter,
  MessageKind,
  PayloadKind,
  limits,
  planState,
  writeControl,
  writePacketHeader,
  writePeerPayload,
  writeWholeState,
  type ClientMessage,
  type PeerPayload,
} from "@paceline/protocol";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { describe, expect, test } from "vitest";
import { viewTermsOf } from "../../client/src/modes/authoritative/authoritative-mode.js";
import { Arena, Car, PERIOD_MS, TICK_HZ, watchLinks, type SentOnLink } from "./arena.js";
import { RawPlayer } from "./raw-player.js";

const WATCHED_TICKS = 80;
/** A player that requests whole states again and again shares at most this many snapshots with the others. */
const MAX_SHARED = 4;
const LINE = { delayMs: 20 } as const;

type Attack = (player: RawPlayer, step: number, stage: RoomStage<Arena>) => void;

interface Heard {
  /** Arrival times of each tick's states at an honest player, ms since the first watched tick. */
  readonly cameAtMs: ReadonlyMap<number, number>;
  /** Number of states whose decoded values differ from the sent ones. */
  readonly wrong: number;
  readonly bytesPerTick: number;
  /** For each watched tick: true if the server sent the attacker the same states as the honest player. */
  readonly isShared: readonly boolean[];
}

/** Returns what an honest player receives while another one makes the attack at every tick. */
async function heardBeside(attack: Attack): Promise<Heard> {
  const stage = roomStage(Arena);
  const links = watchLinks(stage);
  const honest = await stage.join({ network: LINE });
  expect([...honest.room.entities(Car)]).toEqual([]);
  const player = await RawPlayer.join(stage);
  // Players with equal terms share packets.
  player.tell({ type: "view", ...viewTermsOf(honest.room.transport.plan, TICK_HZ) });
  const [toHonest, toPlayer] = links as [SentOnLink, SentOnLink];
  await stage.advance(2000);
  const { room: arena, scheduler } = stage;
  const [firstTick, startMs, before] = [arena.tick + 1, scheduler.nowMs(), toHonest.bytes];
  const cameAtMs = new Map<number, number>();
  let wrong = 0;
  honest.room.onStateChange((tick) => {
    if (tick >= firstTick) cameAtMs.set(tick - firstTick, scheduler.nowMs() - startMs);
    wrong += arena.countWrong(honest, tick);
  });
  for (let step = 0; step < WATCHED_TICKS; step++) {
    if (!player.session.isClosed) attack(player, step, stage);
    await stage.advance(PERIOD_MS);
  }
  // Guests that join let time pass, too.
  const bytesPerTick = (toHonest.bytes - before) / (arena.tick + 1 - firstTick);
  const isShared = Array.from({ length: WATCHED_TICKS - 4 }, (_, index) => {
    const tail = toPlayer.tails.get(firstTick + index);
    return tail !== undefined && tail === toHonest.tails.get(firstTick + index);
  });
  await stage.stop();
  return { cameAtMs, wrong, bytesPerTick, isShared };
}

function sendPacket(player: RawPlayer, header: object, messages: (writer: ByteWriter) => void): void {
  const writer = new ByteWriter();
  writePacketHeader(writer, { sequence: 40_000, tick: 0, isPublished: false, ...header });
  messages(writer);
  player.session.activeLink?.send("event", writer.take());
}

function sendPayload(player: RawPlayer, payload: PeerPayload): void {
  if (player.session.commands.length < 200) player.session.sendReliable(writePeerPayload(payload));
}

function tellServer(player: RawPlayer, message: ClientMessage): void {
  if (player.session.commands.length < 200) player.session.sendReliable(writeControl(message));
}

/** Writes a chunk of a long message, as large as a packet allows. */
function writeChunk(writer: ByteWriter, id: number, flags: number): void {
  writer.u8(MessageKind.bulk).varint(16_003).u16(id).u8(flags).bytes(new Uint8Array(16_000));
}

const { name, schemaHash } = Car;
const plan = planState(Car, { tickHz: TICK_HZ, hasRates: true });
const stateOf = (localId: number): Uint8Array =>
  writeWholeState(plan, localId, new Float32Array(Car.components.length));
const LONG = writePeerPayload({ kind: "command", type: "x", message: "x".repeat(200_000) });

const attacks: Record<string, Attack> = {
  "kinds, other ones at each tick": (player, step) => {
    player.tell({ type: "kinds", kinds: step % 2 === 0 ? [] : [{ name, schemaHash }] });
  },
  "kinds that the room describes otherwise": (player, step) => {
    player.tell({ type: "kinds", kinds: [{ name, schemaHash: step }] });
  },
  "terms, other ones at each tick": (player, step) => {
    const view = { isInterpolated: step % 2 === 0, everyTicks: 1 + (step % 8), thresholdM: step / 10 };
    player.tell({ type: "view", ...view, bytesPerSecond: 1000 + step, repeats: step % 3 === 0 });
  },
  "resync of all": (player) => void player.tell({ type: "resync", ids: [] }),
  "resync, far beyond its rate": (player, step) => {
    const some = Array.from({ length: 256 }, (_, id) => id);
    const asked = Array.from({ length: 20 }, (_, index) => ({
      type: "resync" as const,
      ids: (step + index) % 2 === 0 ? [] : some,
    }));
    player.tell(...asked);
  },
  "resync of some, known or not": (player, step) =>
    void player.tell({ type: "resync", ids: [0, 1, 2, step, 65_535] }),
  "own and disown": (player, step) => {
    const localId = step % 3;
    const own = { type: "own", localId, name, schemaHash, state: stateOf(localId), tickHz: 20 } as const;
    player.tell(own, own, { type: "disown", localId: (step + 1) % 3 });
  },
  "states of entities that it has not": (player, step) => {
    player.session.sendState(new Uint8Array(40).fill(step), 0);
  },
  "inputs that the room does not take": (player, step) => {
    player.session.sendInput(new Uint8Array(40).fill(step));
  },
  "long messages, one after another": (player) => {
    if (player.session.bulk.bytes === 0) player.session.sendBulk(LONG);
  },
  "chunks of a long message that never ends": (player, step) => {
    sendPacket(player, { sequence: 40_000 + step }, (writer) => writeChunk(writer, step, 0));
  },
  "chunks far ahead, with flags that nobody knows, and receipts of what was never sent": (player, step) => {
    const acks = step % 3 === 2 ? { ack: 0, ackBits: 0, bulkReceipt: 30_000 } : undefined;
    sendPacket(player, { sequence: 40_000 + step, acks }, (writer) => {
      if (step % 3 === 0) writeChunk(writer, 30_000 + step, 1);
      else if (step % 3 === 1) writeChunk(writer, 0, 0xfe);
    });
  },
  "commands, requests and replies": (player, step) => {
    sendPayload(player, { kind: "command", type: "x", message: step });
    sendPayload(player, { kind: "request", id: step, type: "x", message: step });
    sendPayload(player, { kind: "reply", id: step, ok: true, message: step });
  },
  "what only players send each other": (player, step) => {
    const stream = step % 256;
    sendPayload(player, { kind: "stream", stream, name, tickHz: 20, schemaHash });
    sendPayload(player, { kind: "reference", stream, states: new Uint8Array(20).fill(step) });
    sendPayload(player, { kind: "resync", stream, entities: [0, 1] });
    sendPayload(player, { kind: "columns", stream, columns: new Uint8Array(step % 2) });
  },
  "messages of an authority without sense": (player, step) => {
    if (player.session.commands.length > 200) return;
    player.session.sendReliable(Uint8Array.of(PayloadKind.authority, step, 0xc1, 0xff));
  },
  "acks of all that was ever sent": (player) => {
    sendPacket(player, { receipt: 0, acks: { ack: 1, ackBits: 0xffffffff } }, () => undefined);
  },
  "receipts of what was never sent": (player) => {
    sendPacket(player, { receipt: 30_000 }, () => undefined);
  },
  "pings, a hundred to a packet": (player, step) => {
    sendPacket(player, { sequence: 40_000 + step }, (writer) => {
      for (let count = 0; count < 100; count++) writer.u8(MessageKind.ping).varint(2).u16(count);
    });
  },
  "its session, continued over another link at every third tick": (player, step) => {
    if (step % 3 === 0) player.resume();
  },
  "slots, which are none or too long": (player, step) => {
    const stream = step % 256;
    tellServer(player, { type: "slot", stream, state: new Uint8Array(limits.slotBytes).fill(step) });
    if (step % 20 === 0)
      tellServer(player, { type: "slot", stream, state: new Uint8Array(limits.slotBytes + 1) });
  },
  "messages of a match in lockstep": (player, step) => {
    const turn = { turn: step, commands: [step], wishMs: 1000, hash: { turn: step, hash: 1 } };
    for (const message of [
      { here: 60 },
      { start: [1, 2], seed: step, tickHz: 60 },
      turn,
      { gone: 1, turns: [turn] },
    ])
      sendPayload(player, { kind: "command", type: "lockstep", message });
  },
  "signals, capabilities, visibility and stripes": (player, step) => {
    tellServer(player, { type: "signal", to: 1 + (step % 2), attempt: step, data: { epoch: 7 } });
    tellServer(player, { type: "capabilities", webrtc: step % 2 === 0 });
    tellServer(player, { type: "visibility", hidden: step % 2 === 0 });
    tellServer(player, { type: "stripe" });
  },
  "acks of what was sent long ago": (player, step) => {
    const acks = { ack: (step - 300) & 0xffff, ackBits: 0xffffffff };
    sendPacket(player, { sequence: 40_000 + step, acks }, () => undefined);
  },
  "no acks, no receipts, nothing at all": (player, step) => {
    const link = player.session.activeLink;
    if (step === 0 && link) link.send = () => undefined;
  },
  "acks and receipts only once a second, with requests for whole states": (player, step) => {
    const link = player.session.activeLink;
    if (!link) return;
    if (step === 0) {
      const pass = link.send.bind(link);
      link.send = (...args) => void (args[0] === "command" && pass(...args));
    }
    if (step % TICK_HZ === 0) player.tell({ type: "resync", ids: [] });
  },
  "guests that come and leave at every second": (_player, step, stage) => {
    if (step % TICK_HZ !== 0) return;
    void RawPlayer.join(stage).then((guest) => {
      guest.tell({ type: "kinds", kinds: [{ name, schemaHash }] });
      stage.scheduler.after(300, () => guest.session.close(4200, "out"));
    });
  },
  "its session's end": (player, step) => {
    if (step === 30) player.session.close(4200, "no");
  },
};

const quiet = heardBeside(() => undefined);

/** Returns the longest run of ticks at which both players got the same states. */
function longestRun(isShared: readonly boolean[]): number {
  let [longest, run] = [0, 0];
  for (const each of isShared) {
    run = each ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

describe("one hostile player in a room with an authority", () => {
  test.each(Object.entries(attacks))(
    "changes no value at another player, and delays none by a period: %s",
    async (_, attack) => {
      const [usual, heard] = [await quiet, await heardBeside(attack)];
      expect(usual.cameAtMs.size).toBeGreaterThan(WATCHED_TICKS * 0.95);
      expect([usual.wrong, heard.wrong]).toEqual([0, 0]);
      for (const [tick, atMs] of usual.cameAtMs) {
        // States still on their way at the end are not lost.
        if (tick > WATCHED_TICKS - 4) continue;
        expect(Math.abs((heard.cameAtMs.get(tick) ?? Infinity) - atMs)).toBeLessThanOrEqual(PERIOD_MS);
      }
      // Whole states for the sake of one player must be rare for the others.
      expect(heard.bytesPerTick / usual.bytesPerTick).toBeLessThan(1.1);
    },
  );

  test.each(["resync of all", "resync of some, known or not"])(
    `gets its own encoding after at most ${MAX_SHARED} snapshots if it asks again and again: %s`,
    async (attack) => {
      const [usual, heard] = [await quiet, await heardBeside(attacks[attack]!)];
      // A player that requests nothing gets the same states as the others.
      expect(usual.isShared.filter(Boolean).length).toBeGreaterThan(WATCHED_TICKS * 0.8);
      expect(longestRun(heard.isShared)).toBeLessThanOrEqual(MAX_SHARED);
      expect(heard.isShared.filter(Boolean).length).toBeLessThan(WATCHED_TICKS / 4);
    },
  );
});
