import { Room } from "@paceline/server";
import {
  ByteWriter,
  CloseCode,
  MessageKind,
  limits,
  writeEvent,
  writeMessage,
  writePacketHeader,
} from "@paceline/protocol";
import { roomStage } from "@paceline/testkit/room";
import { limitTable } from "@paceline/relay";
import { expect, test } from "vitest";
import { RawPlayer } from "./raw-player.js";

class QuietRoom extends Room {
  override onAnyMessage(): void {
    // Only the reading counts.
  }
}

const PACKETS_PER_SECOND = 380;
const PACKET_BYTES = 640;

test.each([
  ["short events", 0],
  ["events of many items", Array.from({ length: 100 }, () => [])],
])(
  "a room reads so many messages of a player in a second, and cuts one who goes on: %s",
  async (_, message) => {
    const stage = roomStage(QuietRoom);
    const [player, honest] = [await RawPlayer.join(stage), await RawPlayer.join(stage)];
    const body = writeEvent("a", message);
    const items = 2 + (Array.isArray(message) ? message.length : 0);
    const [{ counters }] = stage.server.reports() as [ReturnType<typeof stage.server.reports>[number]];
    const read = (): number => counters.messages + counters.messagesLimited;
    let ms = 0;
    for (let sequence = 1000; player.close === undefined && ms < 10_000; sequence++) {
      const writer = new ByteWriter();
      writePacketHeader(writer, { sequence: sequence & 0xffff, isPublished: false });
      while (writer.length < PACKET_BYTES) writeMessage(writer, MessageKind.event, body);
      player.session.activeLink?.send("event", writer.take());
      ms += 1000 / PACKETS_PER_SECOND;
      await stage.advance(1000 / PACKETS_PER_SECOND);
    }
    const { messageBurst, messagesPerSecond, floodPatienceMs } = limitTable;
    expect(player.close).toMatchObject({ code: CloseCode.flooding });
    expect(ms).toBeGreaterThan(floodPatienceMs.default);
    const allowed = messageBurst.default + (messagesPerSecond.default * ms) / 1000;
    const each = 1 + items / limits.itemsPerMessage;
    expect(each * read()).toBeGreaterThan(0.9 * allowed);
    expect(each * read()).toBeLessThan(1.01 * allowed + PACKET_BYTES);
    expect(honest.close).toBeUndefined();
    await stage.stop();
  },
);
