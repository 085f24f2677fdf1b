import { VirtualScheduler } from "@paceline/testkit";
import { TokenBucket } from "@paceline/transport";
import { describe, expect, it } from "vitest";
import { AddressBuckets } from "../src/limits/address-buckets.js";
import { BucketShare } from "../src/limits/bucket-share.js";

describe("a token bucket", () => {
  it("lets a burst pass, then the rate", () => {
    const bucket = new TokenBucket(10, 5, 0);
    const taken = (nowMs: number): number => {
      let count = 0;
      while (bucket.take(1, nowMs)) count += 1;
      return count;
    };
    expect(taken(0)).toBe(5);
    expect(taken(99)).toBe(0);
    expect(taken(100)).toBe(1);
    expect(taken(400)).toBe(3);
    expect(taken(60_000)).toBe(5);
  });

  it("counts all that has come in since a time, and keeps at most a burst of it", () => {
    const bucket = new TokenBucket(10, 5, 0);
    expect(bucket.take(4, 0)).toBe(true);
    expect(bucket.takeSince(32, 100, 3000)).toBe(false);
    expect(bucket.takeSince(31, 3000, 3000)).toBe(false);
    expect(bucket.take(5, 3000)).toBe(true);
    // 1 from the time before, and 30 of the three seconds since.
    expect(bucket.takeSince(27, 3100, 6100)).toBe(true);
    expect(bucket.take(4, 6100)).toBe(true);
    expect(bucket.take(1, 6100)).toBe(false);
    expect(bucket.takeSince(0, 6200, 60_000)).toBe(true);
    expect(bucket.take(6, 60_000)).toBe(false);
    expect(bucket.takeSince(Number.NaN, 60_000, 60_000)).toBe(false);
  });

  it("takes all or nothing, and ignores time that runs backwards", () => {
    const bucket = new TokenBucket(1000, 100, 1000);
    expect(bucket.take(101, 1000)).toBe(false);
    expect(bucket.take(100, 1000)).toBe(true);
    expect(bucket.take(1, 0)).toBe(false);
    expect(bucket.isFull(1099)).toBe(false);
    expect(bucket.isFull(1100)).toBe(true);
  });
});

describe("a debt", () => {
  it("begins at the present tokens, and is a burst at most", () => {
    const bucket = new TokenBucket(10, 5, 0);
    expect(bucket.take(5, 0)).toBe(true);
    bucket.spend(5, 10_000);
    expect(bucket.take(1, 10_000)).toBe(false);
    bucket.spend(100, 10_000);
    expect(bucket.take(1, 10_599)).toBe(false);
    expect(bucket.take(1, 10_600)).toBe(true);
  });
});

describe("a session's share of a common rate", () => {
  it("remains when others have used up the rate, and grows by what they leave", () => {
    const common = new TokenBucket(10, 20, 0);
    const [first, second] = [1, 2].map(() => new BucketShare(new TokenBucket(5, 5, 0), common));
    const taken = (share: BucketShare | undefined, nowMs: number, reserve = 0): number => {
      let count = 0;
      while (share!.take(1, nowMs, reserve)) count += 1;
      return count;
    };
    // Five from its own part, which count against the common bucket too, and five that the reserve leaves.
    expect(taken(first, 0, 0.5)).toBe(10);
    expect(taken(first, 0)).toBe(10);
    expect(taken(second, 0)).toBe(5);
    // The debt of those five is paid before anybody gets more than its own part.
    expect(taken(first, 400)).toBe(2);
    expect(taken(second, 400)).toBe(2);
  });
});

describe("buckets of addresses", () => {
  it("exist once for each network", () => {
    const buckets = new AddressBuckets(1, 2, new VirtualScheduler());
    expect([1, 2, 3].map(() => buckets.take("192.0.2.1"))).toEqual([true, true, false]);
    expect(buckets.take("192.0.2.2")).toBe(true);
    expect(buckets.take("::ffff:192.0.2.1")).toBe(false);
  });

  it("are limited in number", () => {
    const scheduler = new VirtualScheduler();
    const buckets = new AddressBuckets(1, 2, scheduler);
    for (let host = 0; host < 10_000; host++) buckets.take(`10.0.${host >> 8}.${host & 255}`);
    scheduler.advance(500);
    for (let host = 0; host < 50; host++) buckets.take(`10.1.0.${host}`);
    expect(buckets.size).toBe(10_000);
  });

  it("are forgotten when they are full again, while others come", () => {
    const scheduler = new VirtualScheduler();
    const buckets = new AddressBuckets(1, 2, scheduler);
    for (let host = 0; host < 30_000; host++) {
      buckets.take(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
      scheduler.advance(4);
    }
    // 250 addresses come while one bucket fills up (one second). The sweep is at most twice that late.
    expect(buckets.size).toBeLessThan(750);
  });

  it("keep the rate of an address that is not full, however many others come", () => {
    const scheduler = new VirtualScheduler();
    const buckets = new AddressBuckets(1, 2, scheduler);
    expect([1, 2, 3].map(() => buckets.take("192.0.2.1"))).toEqual([true, true, false]);
    for (let host = 0; host < 5000; host++) buckets.take(`10.0.${host >> 8}.${host & 255}`);
    expect(buckets.take("192.0.2.1")).toBe(false);
  });

  it("stay while a session holds them, so that an address has one rate", () => {
    const scheduler = new VirtualScheduler();
    const buckets = new AddressBuckets(1, 2, scheduler);
    const [held] = buckets.hold("192.0.2.1");
    const flood = (): void => {
      for (let host = 0; host < 12_000; host++) buckets.take(`10.0.${host >> 8}.${host & 255}`);
    };
    flood();
    expect(buckets.hold("192.0.2.1")[0]).toBe(held);
    buckets.release("192.0.2.1");
    flood();
    expect(buckets.hold("192.0.2.1")[0]).toBe(held);
    buckets.release("192.0.2.1");
    buckets.release("192.0.2.1");
    flood();
    expect(buckets.hold("192.0.2.1")[0]).not.toBe(held);
  });

  it("limit an attacker with a whole network of addresses", () => {
    const buckets = new AddressBuckets(1, 2, new VirtualScheduler());
    const taken = (addressOf: (index: number) => string): number =>
      Array.from({ length: 200 }, (_, index) => buckets.take(addressOf(index))).filter(Boolean).length;
    expect(taken((index) => `2001:db8:0:1::${index.toString(16)}`)).toBe(2);
    // The household's /56 may take eight in all, the site's /48 thirty-two. Refusals of the /64 count for the
    // wider ones.
    expect(taken((index) => `2001:db8:1:${index.toString(16)}::1`)).toBe(8);
    expect(taken((index) => `2001:db8:2:${(index << 8).toString(16)}::1`)).toBe(32);
    expect(taken((index) => `2001:db8:${(index + 3).toString(16)}::1`)).toBe(200);
  });
});
