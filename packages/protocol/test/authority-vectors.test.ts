import {
  ByteReader,
  ByteWriter,
  PayloadKind,
  defineInput,
  readFeedback,
  readFromAuthority,
  readInputs,
  readToAuthority,
  writeAuthority,
  writeFeedback,
  writeInputs,
  type Fields,
  type FromAuthority,
  type ToAuthority,
} from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { fromHex, toHex, vectors, withBytes, type Vector } from "./vectors.js";

const messages = vectors("authority") as readonly (Vector<object> & { readonly from: string })[];
const feedbacks = vectors("feedbacks") as readonly Vector<{ processed: number; quarters: number } | null>[];
const inputs = vectors("inputs") as readonly (Vector<{ newest: number; columns: number[][] }> & {
  readonly fields: Fields;
})[];

/** Properties of a flag field, which the vectors omit. */
const FLAG = { range: [0, 1], precision: 1, unit: "" };

describe("vectors of rooms with an authority", () => {
  test.each(messages)("[WF33] [WF34] $from: $name", ({ hex, decoded, from }) => {
    const bytes = fromHex(hex);
    expect(bytes[0]).toBe(PayloadKind.authority);
    const read = from === "authority" ? readFromAuthority : readToAuthority;
    const expected = withBytes(decoded) as ToAuthority | FromAuthority;
    expect(read(bytes.subarray(1))).toEqual(expected);
    expect(read(writeAuthority(expected).subarray(1))).toEqual(expected);
  });

  test.each(feedbacks)("[WF31] feedback: $name", ({ hex, decoded }) => {
    const reader = new ByteReader(fromHex(hex));
    const feedback = { processed: decoded?.processed, leadErrorTicks: (decoded?.quarters ?? 0) / 4 };
    expect(readFeedback(reader)).toEqual(feedback);
    expect(reader.remaining).toBe(0);
    expect(toHex(writeFeedback(new ByteWriter(), feedback).take())).toBe(hex);
  });

  test.each(inputs)("[WF32] inputs: $name", ({ hex, decoded, fields }) => {
    const filled = Object.entries(fields).map(([name, field]) => [name, Object.assign({}, FLAG, field)]);
    const definition = defineInput(Object.fromEntries(filled) as Fields);
    const precisions = definition.definition.components.map(({ precision }) => precision);
    const rows = decoded.columns.map((row) =>
      Float32Array.from(row, (column, index) => column * precisions[index]!),
    );
    expect(readInputs(definition, fromHex(hex))).toEqual({ newest: decoded.newest, rows });
    expect(toHex(writeInputs(definition, { newest: decoded.newest, rows }))).toBe(hex);
  });
});
