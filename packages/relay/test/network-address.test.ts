import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { networkOf } from "../src/index.js";
import { networksOf, sharingNetworks } from "../src/limits/network-address.js";
import { relaySettings } from "../src/options/relay-options.js";

describe("a network", () => {
  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::9", "2001:db8:1:2"],
    ["2001:0db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["198.51.100.1", "198.51.100.1"],
    ["unknown", "unknown"],
  ])("%s belongs to %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("has wider networks around it for IPv6", () => {
    const names = (address: string) => networksOf(address).map(({ name }) => name);
    expect(names("2001:db8:1:23ff::9")).toEqual(["2001:db8:1:0/48", "2001:db8:1:2300/56", "2001:db8:1:23ff"]);
    expect(names("198.51.100.1")).toEqual(["198.51.100.1"]);
    expect(names("::ffff:198.51.100.1")).toEqual(["198.51.100.1"]);
  });

  it("has no share if it is this machine's own, or no address at all", () => {
    const loopback = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"];
    expect([...loopback, ""].flatMap(sharingNetworks)).toEqual([]);
    for (const address of ["128.0.0.1", "::2", "::", "1.127.0.0", "unknown"]) {
      expect(sharingNetworks(address)).toContain(networkOf(address));
    }
  });
});

describe("the address behind proxies", () => {
  const addressOf = (trustedProxyHops: number | undefined, forwarded?: string): string => {
    const settings = relaySettings({
      rooms: { race: {} },
      ...(trustedProxyHops !== undefined && { trustedProxyHops }),
    });
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    return settings.addressOf({
      headers,
      socket: { remoteAddress: "10.0.0.1" },
    } as unknown as IncomingMessage);
  };

  it.each([
    [undefined, "203.0.113.5", "10.0.0.1"],
    [0, "203.0.113.5", "10.0.0.1"],
    [1, "203.0.113.5", "203.0.113.5"],
    // A client can forge the entries to the left of the trusted ones.
    [1, "198.51.100.9, 203.0.113.5", "203.0.113.5"],
    [2, "198.51.100.9, 203.0.113.5, 192.0.2.1", "203.0.113.5"],
    [2, "203.0.113.5", "203.0.113.5"],
    [2, undefined, "10.0.0.1"],
    [1, "", "10.0.0.1"],
    [1, "unknown", "10.0.0.1"],
    [1, "203.0.113.5:4711", "203.0.113.5"],
    [1, "[2001:db8::1]:4711", "2001:db8::1"],
    [1, "2001:db8::1", "2001:db8::1"],
  ])("with %s of them and %j is %s", (hops, forwarded, address) => {
    expect(addressOf(hops, forwarded)).toBe(address);
  });

  it("comes from one option only", () => {
    const both = { rooms: { race: {} }, trustedProxyHops: 1, addressOf: () => "203.0.113.5" };
    expect(() => relaySettings(both)).toThrow("trustedProxyHops: expected 0 where addressOf is given");
    expect(() => relaySettings({ rooms: { race: {} }, trustedProxyHops: 9 })).toThrow(
      "trustedProxyHops: expected a whole number from 0 to 8 (proxies), got 9",
    );
  });
});
