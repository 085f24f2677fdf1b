import { readSlot, writePeerPayload, writeSlot, type PeerPayload } from "@paceline/protocol";
import { assert, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { peerPayload } from "./arbitraries.js";

const start = { stream: 3, name: "car", tickHz: 60, schemaHash: 0xdeadbeef };
const read = { kind: "stream", ...start } as const;
const announcement = writePeerPayload(read);

describe("a slot", () => {
  test("[WF28] is decoded as it was encoded", () => {
    expect(readSlot(writeSlot({ start }))).toEqual({ start: read });
    assert(
      property(uint8Array({ minLength: 5, maxLength: 64 }), (states) => {
        expect(readSlot(writeSlot({ start, states }))).toEqual({ start: read, states });
      }),
    );
  });

  test("[WF28] is malformed if it announces no stream, or has anything but states of that stream", () => {
    const isAnnouncement = (payload: PeerPayload): boolean =>
      payload.kind === "stream" && payload.entities === undefined;
    assert(
      property(peerPayload, (payload) => {
        const bytes = writePeerPayload(payload);
        if (bytes.length > 127) return;
        const first = Uint8Array.of(bytes.length, ...bytes);
        expect(readSlot(first) !== undefined).toBe(isAnnouncement(payload));
        expect(readSlot(first.subarray(0, -1))).toBeUndefined();
        const second = Uint8Array.of(announcement.length, ...announcement, ...bytes);
        expect(readSlot(second) !== undefined).toBe(payload.kind === "reference" && payload.stream === 3);
      }),
    );
  });

  test("[WF28] never throws, for any bytes", () => {
    assert(property(uint8Array({ maxLength: 200 }), (bytes) => void readSlot(bytes)));
  });
});
