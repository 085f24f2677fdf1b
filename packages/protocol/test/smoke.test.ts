import { expect, test } from "vitest";
import { decodeValue, encodeValue, readPeerPayload, writePeerPayload, defineEntity, vec2, angle } from "@paceline/protocol";
test("values survive", () => {
  const v = { a: [1, -5, 2.5, "x", null, true, 1e12], b: new Uint8Array([1, 2]), c: { d: 3000000000 } };
  expect(JSON.stringify(decodeValue(encodeValue(v))!.value)).toEqual(JSON.stringify(v));
  expect(readPeerPayload(writePeerPayload({ kind: "command", type: "lap", message: { n: 1 } }))).toEqual({ kind: "command", type: "lap", message: { n: 1 } });
  const d = defineEntity("car", { position: vec2({ range: [0, 1], precision: 0.1 }), heading: angle({ precision: 0.1, unit: "rad" }) }, { motion: "velocity" });
  expect(d.components.map((c) => c.name)).toEqual(["position.x", "position.y", "heading", "velocity.x", "velocity.y", "turnRate"]);
});
