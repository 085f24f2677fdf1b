import { expect, test } from "vitest";
import { checkedMetadata } from "../src/room/room-metadata.js";

test("metadata are what lists of rooms show: undefined members are left out, and bytes are refused", () => {
  expect(
    checkedMetadata({ host: "ann", mode: undefined, maps: [{ name: "oval", laps: undefined }] }),
  ).toStrictEqual({
    host: "ann",
    maps: [{ name: "oval" }],
  });
  // As JSON, bytes would become an object of numbers.
  expect(() => checkedMetadata({ icons: [{ png: Uint8Array.of(1) }] })).toThrow(
    /^metadata\.icons\[0\]\.png: expected JSON, which has no bytes, got a Uint8Array$/,
  );
  expect(() => checkedMetadata({ since: new Date(0) })).toThrow(/^metadata\.since: .*, got a Date$/);
});
