import {
  limits,
  readRetained,
  writePeerPayload,
  writeRetained,
  type RetainedPayload,
} from "@paceline/protocol";
import { array, assert, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { peerPayload } from "./arbitraries.js";

const isRetained = ({ kind }: { readonly kind: string }): boolean =>
  kind === "stream" || kind === "reference";
const retained = peerPayload.filter(isRetained);

describe("states that a server keeps for newcomers", () => {
  test("[WF28] are decoded as they were encoded, unless they are too long", () => {
    assert(
      property(array(retained, { maxLength: 12 }), (payloads) => {
        const states = writeRetained(payloads as RetainedPayload[]);
        const bytes = payloads.reduce((sum, payload) => sum + writePeerPayload(payload).length + 1, 0);
        const isTooLong = bytes > limits.retainedBytes - payloads.length;
        expect(states ? readRetained(states) : isTooLong).toEqual(states ? payloads : true);
      }),
    );
  });

  test("[WF28] are malformed if they contain other payloads, or are cut short", () => {
    assert(
      property(peerPayload, (payload) => {
        const bytes = writePeerPayload(payload);
        if (bytes.length > 127) return;
        const states = Uint8Array.of(bytes.length, ...bytes);
        expect(readRetained(states) !== undefined).toBe(isRetained(payload));
        expect(readRetained(states.subarray(0, -1))).toBeUndefined();
      }),
    );
  });

  test("[WF28] never throw, for any bytes", () => {
    assert(property(uint8Array({ maxLength: 200 }), (bytes) => void readRetained(bytes)));
  });
});
