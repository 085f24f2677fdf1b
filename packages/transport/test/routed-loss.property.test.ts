import { ByteWriter, writeEnvelope, type TrafficClassName } from "@paceline/protocol";
import { array, assert, boolean, double, integer, property, record, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { LossCount, type LossReading } from "../src/session/loss-count.js";
import { RoutedLoss } from "../src/session/routed-loss.js";

/** Windows that do not count yet. */
const SETTLING_WINDOWS = 3;

function settled(loss: LossCount): LossReading | undefined {
  for (let window = 0; window < SETTLING_WINDOWS; window++) loss.endWindow();
  return loss.reading;
}

function envelopeOf(trafficClass: TrafficClassName): Uint8Array {
  const writer = new ByteWriter();
  writeEnvelope(writer, { trafficClass, key: 0, peers: [1], packet: Uint8Array.of(0) });
  return writer.take();
}

const state = envelopeOf("state");
const numbered = (number: number): Uint8Array => Uint8Array.of(number & 255, number >> 8);
const times = (count: number, act: () => void): void => {
  for (let done = 0; done < count; done++) act();
};

describe("the loss of routed packets", () => {
  test("is exact at the newest report, whichever packets and reports are lost, and however late some come", () => {
    const second = record({
      sent: integer({ min: 0, max: 200 }),
      lost: double({ min: 0, max: 1, noNaN: true }),
      late: integer({ min: 0, max: 5 }),
      isReported: boolean(),
    });
    assert(
      property(array(second, { minLength: 2, maxLength: 15 }), (seconds) => {
        const [near, far] = [new RoutedLoss(), new RoutedLoss()];
        const [outgoing, incoming] = [new LossCount(), new LossCount()];
        let number = 0xfffe;
        const report = (): void => {
          number = (number + 1) & 0xffff;
          near.pinged(number);
          expect(near.take(far.reportTo(numbered(number))!, outgoing, incoming)).toBe(true);
        };
        // Every direction has carried one packet before, so that the first report begins the comparison.
        for (const side of [near, far]) {
          side.countSent("state", state);
          side.countReceived(state);
        }
        report();
        let [sent, arrived, late] = [0, 0, 0];
        let known = { sent, arrived };
        for (const each of seconds) {
          outgoing.endWindow();
          incoming.endWindow();
          const held = Math.min(each.late, each.sent);
          const more = Math.floor((each.sent - held) * (1 - each.lost));
          for (const side of [near, far]) {
            times(each.sent, () => side.countSent("state", state));
            times(more + late, () => side.countReceived(state));
          }
          sent += each.sent;
          arrived += more + late;
          late = held;
          if (!each.isReported) continue;
          report();
          known = { sent, arrived };
        }
        const isKnown = known.sent >= 10 && known.arrived > 0;
        const expected = isKnown
          ? [known.sent, (known.sent - known.arrived) / known.sent]
          : [undefined, undefined];
        for (const loss of [outgoing, incoming]) {
          const reading = settled(loss);
          expect([reading?.packets, reading?.ratio]).toEqual(expected);
        }
      }),
    );
  });

  test("is a share between 0 and 1 with its bounds around it, whatever the other side says", () => {
    const answer = record({
      counts: uint8Array({ minLength: 4, maxLength: 4 }),
      more: integer({ min: 0, max: 200 }),
    });
    assert(
      property(array(answer, { maxLength: 60 }), (answers) => {
        const near = new RoutedLoss();
        const losses = [new LossCount(), new LossCount()] as const;
        answers.forEach(({ counts, more }, number) => {
          times(more, () => near.countSent("state", state));
          times(more, () => near.countReceived(state));
          near.pinged(number);
          expect(near.take(Uint8Array.of(...numbered(number), ...counts), ...losses)).toBe(true);
          for (const loss of losses) {
            loss.endWindow();
            const { low, ratio, high } = loss.reading ?? { low: 0, ratio: 0, high: 1 };
            expect(low).toBeGreaterThanOrEqual(0);
            expect(ratio).toBeGreaterThanOrEqual(0);
            expect(ratio).toBeLessThanOrEqual(1);
            expect(high).toBeLessThanOrEqual(1);
          }
        });
      }),
    );
  });

  test("[WF11] counts no packet that is repeated, and takes no report of another length or without its ping", () => {
    const side = new RoutedLoss();
    for (const name of ["command", "event", "reference", "bulk"] as const) {
      side.countSent(name, envelopeOf(name));
      side.countReceived(envelopeOf(name));
    }
    side.countSent("state", Uint8Array.of(0));
    expect(side.reportTo(numbered(7))).toBeUndefined();
    side.countSent("input", envelopeOf("input"));
    expect(side.reportTo(numbered(7))).toEqual(Uint8Array.of(7, 0, 0, 0, 1, 0));
    const losses = [new LossCount(), new LossCount()] as const;
    for (const length of [0, 5, 7]) expect(side.take(new Uint8Array(length), ...losses)).toBe(false);
    for (const sent of [0, 100]) expect(side.take(Uint8Array.of(9, 0, 0, 0, sent, 0), ...losses)).toBe(true);
    expect(losses.map(({ window }) => window)).toEqual([
      { arrived: 0, lost: 0 },
      { arrived: 0, lost: 0 },
    ]);
  });
});
