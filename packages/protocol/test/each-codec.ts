import { smallCodec, useValueCodec } from "@paceline/protocol";
import { msgpackrCodec } from "@paceline/protocol/msgpackr";
import { afterAll, beforeAll, describe } from "vitest";

/** Runs tests once with each codec of values. */
export function withEachCodec(tests: () => void): void {
  describe.each([
    ["the small codec", smallCodec],
    ["msgpackr", msgpackrCodec],
  ])("with %s:", (_, codec) => {
    beforeAll(() => useValueCodec(codec));
    afterAll(() => useValueCodec(smallCodec));
    tests();
  });
}
