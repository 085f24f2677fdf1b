import { readFileSync } from "node:fs";
import { array, assert, asyncProperty, property, string, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import { newEnvelope, openEnvelope, sealEnvelope } from "../../src/saving/save-envelope.js";
import { idOfName, nameOfId } from "../../src/saving/stores/room-id.js";

const anyId = string({ unit: "grapheme", minLength: 1, maxLength: 60 });

async function sealed(id: string, content: Uint8Array, sequence = 1, savedAtMs = 1000): Promise<Uint8Array> {
  const envelope = newEnvelope(id, content);
  await sealEnvelope(envelope, { sequence, savedAtMs });
  return new Uint8Array(envelope);
}

it("[SR1] an envelope gives back what went into it", async () => {
  await assert(
    asyncProperty(anyId, uint8Array({ maxLength: 3000 }), async (id, content) => {
      const opened = openEnvelope(await sealed(id, content, 2 ** 48 - 1, 2 ** 47));
      expect(opened).toMatchObject({ id, version: 1, sequence: 2 ** 48 - 1, savedAtMs: 2 ** 47 });
      expect("fault" in opened ? undefined : new Uint8Array(opened.bytes)).toEqual(content);
    }),
    { numRuns: 100 },
  );
});

it("[SR1] any other bytes are refused with a reason, and nothing throws", () => {
  assert(
    property(uint8Array({ maxLength: 200 }), (bytes) => {
      expect(openEnvelope(bytes)).toEqual({ fault: expect.any(String) });
      const magic = Uint8Array.of(0x50, 0x4c, 0x52, 0x53, 1, ...bytes);
      expect(openEnvelope(magic)).toEqual({ fault: expect.any(String) });
    }),
    { numRuns: 500 },
  );
});

it("[SR1] the reason says what is wrong", async () => {
  const save = await sealed("room", Uint8Array.of(1, 2, 3));
  const faultOf = (bytes: Uint8Array): unknown => openEnvelope(bytes);
  expect(faultOf(save.slice(0, 3))).toEqual({ fault: "it is not a saved room" });
  expect(faultOf(save.with(4, 2))).toEqual({
    fault: "it is of version 2, and this server reads version 1",
  });
  expect(faultOf(save.slice(0, 26))).toEqual({ fault: "it ends after 26 bytes" });
  expect(faultOf(save.slice(0, -1))).toEqual({ fault: "it has 33 bytes, and says that it has 34" });
  expect(faultOf(save.with(30, 0))).toEqual({ fault: "its checksum is wrong" });
});

it("the checksum of a large save is that of its bytes, though it is computed in turns", async () => {
  const content = new Uint8Array(1_000_000).map((_, index) => index * 7);
  const save = await sealed("room", content);
  expect(openEnvelope(save)).toHaveProperty("id", "room");
  expect(openEnvelope(save.with(900_000, save[900_000]! ^ 1))).toEqual({ fault: "its checksum is wrong" });
});

it("docs/SAVED-ROOMS.md shows the bytes of a save", async () => {
  const page = readFileSync(new URL("../../../../docs/SAVED-ROOMS.md", import.meta.url), "utf8");
  const shown = /<!-- save -->\s+```\n([0-9a-f ]+)\n```/.exec(page)?.[1]?.replaceAll(" ", "");
  expect(shown).toBe(Buffer.from(await sealed("a", Uint8Array.of(1, 2, 3))).toString("hex"));
});

it("[SR4] the name of a room is a safe file name, and tells its id", () => {
  assert(
    property(anyId, (id) => {
      const name = nameOfId(id);
      expect(name).toMatch(/^[a-z0-9_-]{1,200}$/);
      expect(idOfName(name)).toBe(name.startsWith("__") ? undefined : id);
    }),
    { numRuns: 500 },
  );
});

it("[SR4] no two ids share a name, and no other text is a name", () => {
  assert(
    property(array(anyId, { minLength: 2, maxLength: 10 }), (ids) => {
      expect(new Set(ids.map(nameOfId)).size).toBe(new Set(ids).size);
    }),
    { numRuns: 200 },
  );
  for (const text of ["", "A", "a.b", "_", "_2", "_zz", "_61", "_ff", "__00", "a/b", "_C3_A4"]) {
    expect(idOfName(text)).toBeUndefined();
  }
});
