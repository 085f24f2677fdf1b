import { expect, test } from "vitest";
import { readSettings, storeDriver } from "../src/game/settings.js";

const ORIGIN = "https://play.example.com";

class MemoryStorage {
  readonly #values = new Map<string, string>();
  get length(): number {
    return this.#values.size;
  }
  clear(): void {
    this.#values.clear();
  }
  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }
  key(): string | null {
    return null;
  }
  removeItem(key: string): void {
    this.#values.delete(key);
  }
  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }
}

test("settings in the address are used", () => {
  const query =
    "?name=Ada&color=%2300ff00&autostart=1&profile=shooter&transports=websocket&mode=server&watch=1&room=fox-42";
  expect(readSettings(query, ORIGIN, undefined)).toEqual({
    name: "Ada",
    color: "#00ff00",
    mode: "server",
    autostart: true,
    isShow: false,
    isSpectator: true,
    profile: "shooter",
    transports: ["websocket"],
    server: ORIGIN,
    invitation: { friends: "fox-42" },
    complaints: [],
  });
});

test("invalid parts of the address have no effect, and the complaints name them", () => {
  const query =
    "?name=%00%20&color=javascript:1&autostart=yes&profile=poker&transports=pigeon&server=file:///etc&room=%3Cb%3E&spead=9";
  const settings = readSettings(query, ORIGIN, undefined);
  expect(settings.name.length).toBeGreaterThan(0);
  expect(settings.color).toMatch(/^#[0-9a-f]{6}$/);
  expect(settings).toMatchObject({
    mode: "mesh",
    autostart: false,
    isSpectator: false,
    profile: "racing",
    transports: undefined,
    server: ORIGIN,
    invitation: undefined,
  });
  for (const key of ["name", "color", "autostart", "profile", "transports", "server", "room"])
    expect(settings.complaints.join("\n")).toContain(`"${key}" cannot be`);
  // Each complaint says what is right.
  expect(settings.complaints).toContain(
    '"color" cannot be "javascript:1": it is #rrggbb with %23 for #, such as %23e5484d.',
  );
  expect(settings.complaints).toContain('"autostart" cannot be "yes": it is 1 or 0.');
  for (const [key, right] of [
    ["profile", "racing, shooter"],
    ["transports", "websocket, or webrtc,websocket"],
    ["server", "http://"],
    ["room", "fox-42"],
  ])
    expect(settings.complaints.find((text) => text.startsWith(`"${key}"`))).toContain(right);
  expect(settings.complaints).toContain('Nothing here is named "spead".');
  expect(settings.complaints.at(-1)).toContain("mode");
});

test("a list of transports with an unknown one has no effect as a whole, and says so", () => {
  const mixed = readSettings("?transports=websocket,pigeon", ORIGIN, undefined);
  expect(mixed.transports).toBeUndefined();
  expect(mixed.complaints).toHaveLength(1);
  const good = readSettings("?transports=webrtc,websocket", ORIGIN, undefined);
  expect(good).toMatchObject({ transports: ["webrtc", "websocket"], complaints: [] });
});

test("name and colour come from the storage; broken content of it is ignored", () => {
  const storage = new MemoryStorage();
  storeDriver(storage, { name: "Grace", color: "#123456" });
  expect(readSettings("", ORIGIN, storage)).toMatchObject({ name: "Grace", color: "#123456" });
  storage.setItem("paceline.driver", '{"name":{"a":1},"color":"#zzz"');
  expect(readSettings("", ORIGIN, storage).color).toMatch(/^#[0-9a-f]{6}$/);
});
