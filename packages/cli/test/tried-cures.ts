/** What the sentences of errors and warnings tell people to do, each tried: first the mistake, then its cure. */
import {
  Client,
  defineEntity,
  defineInput,
  flag,
  list,
  scalar,
  vec2,
  type Room as ClientRoom,
} from "@paceline/client";
import { LockstepSession } from "@paceline/client/lockstep";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { Room, defineServer, jwtAuth, type Player, type RoomEntry } from "@paceline/server";
import { expect, vi } from "vitest";

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
    fuel: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "velocity" },
);
const Ghost = defineEntity("ghost", { position: vec2({ range: [-100, 100], precision: 0.01 }) });
const Steering = defineInput({ isFiring: flag() });
const RACING = { profile: "racing", transports: ["websocket"] } as const;
const URL = "http://127.0.0.1:1";

class Arena extends Room {
  override readonly entities = [Car];
  override readonly inputs = Steering;
  override readonly maxRewindMs: number = 200;

  override onCreate(): void {
    this.onRequest("tick", (player, tick) => this.rewind(player, tick as number, () => "seen"));
  }
}

const servers: { stop(options: object): Promise<void> }[] = [];
const rooms: ClientRoom[] = [];

/** Leaves all rooms and stops all servers of a trial. */
export async function cleanUp(): Promise<void> {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await Promise.all(rooms.splice(0).map((room) => room.leave()));
  for (const server of servers.splice(0)) await server.stop({ drainMs: 0 });
}

async function served(kinds: Record<string, RoomEntry> = {}, port = 0): Promise<string> {
  const server = defineServer({ rooms: { race: { maxPlayers: 8 }, ...kinds }, log: silentLog });
  servers.push(server);
  return server.listen(port);
}

const clientOf = (url: string, options: object = {}): Client =>
  new Client(url, { ...RACING, webSocket: NodeWebSocket, ...options });

async function join(url: string, name = "race", options: object = {}): Promise<ClientRoom> {
  return kept(await clientOf(url, options).joinOrCreate(name));
}

function kept(room: ClientRoom): ClientRoom {
  rooms.push(room);
  return room;
}

/** Returns the message of the error that `fn` throws or rejects with. */
async function messageOf(fn: () => unknown): Promise<string> {
  try {
    await fn();
  } catch (error) {
    return (error as Error).message;
  }
  return "no error";
}

/** Makes the mistake, which must say the sentence, and then does what it says. */
async function cured(mistake: () => unknown, sentence: string | RegExp, cure: () => unknown): Promise<void> {
  expect(await messageOf(mistake)).toMatch(sentence);
  await cure();
}

/** Returns the first line on the console that has the text. */
async function lineOn(level: "warn" | "info", text: string, make: () => Promise<unknown>): Promise<string> {
  const spy = vi.spyOn(console, level).mockImplementation(() => undefined);
  await make();
  return vi.waitUntil(
    () => spy.mock.calls.map(([line]) => String(line)).find((line) => line.includes(text)),
    {
      timeout: 10_000,
    },
  );
}

/** Joins a room of that kind and calls `play`. Returns what the server has logged as errors. */
async function logOf(
  kind: RoomEntry,
  play: (room: ClientRoom) => unknown = () => undefined,
): Promise<string> {
  const lines: string[] = [];
  const log = { ...silentLog, error: (_line: string, fields?: object) => lines.push(JSON.stringify(fields)) };
  const server = defineServer({ rooms: { one: kind }, log });
  servers.push(server);
  const url = await server.listen(0);
  await messageOf(async () => play(await join(url, "one")));
  return lines.join("\n");
}

async function withEntities(wrong: unknown, sentence: string): Promise<void> {
  const zooOf = (entities: unknown): RoomEntry =>
    class Zoo extends Room {
      override readonly entities = entities as (typeof Ghost)[];
    };
  expect(await logOf(zooOf(wrong))).toContain(sentence);
  expect(await logOf(zooOf([Ghost]))).toBe("");
}

/** Trials, by the sentence as it stands in the source. */
export const trials: Readonly<Record<string, () => Promise<void>>> = {
  "a build, with onOutdated": () => {
    const onOutdated = (): void => undefined;
    return cured(
      () => clientOf(URL, { onOutdated }),
      "a build, with onOutdated",
      () => clientOf(URL, { onOutdated, build: "7" }),
    );
  },

  "${named}, as profile.numbers.tickHz says, or nothing": () => {
    const profile = { base: "racing", numbers: { tickHz: 60 } };
    return cured(
      () => clientOf(URL, { profile, tickHz: 30 }),
      "60, as profile.numbers.tickHz says, or nothing",
      () => [clientOf(URL, { profile, tickHz: 60 }), clientOf(URL, { profile })],
    );
  },

  "at most tickHz, ${profile.tickHz} per second: there is no newer state in between": () => {
    const withRate = (stateHz: number): Client =>
      clientOf(URL, { profile: { base: "racing", numbers: { tickHz: 30, stateHz } } });
    return cured(
      () => withRate(31),
      "at most tickHz, 30 per second",
      () => withRate(30),
    );
  },

  'true in a mesh, whose players connect directly; or topology "relay"': () => {
    const topologies = { topology: "mesh", exposeAddress: false };
    const withProfile = (changes: object): Client =>
      clientOf(URL, {
        transports: ["websocket", "webrtc"],
        profile: { base: "racing", ...topologies, ...changes },
      });
    return cured(
      () => withProfile({}),
      'true in a mesh, whose players connect directly; or topology "relay"',
      () => [withProfile({ exposeAddress: true }), withProfile({ topology: "relay" })],
    );
  },

  'this environment has no WebSocket; in Node pass `webSocket: NodeWebSocket` from "@paceline/client/node"':
    async () => {
      const url = await served();
      vi.stubGlobal("WebSocket", undefined);
      await cured(
        () => join(url, "race", { webSocket: undefined }),
        'in Node pass `webSocket: NodeWebSocket` from "@paceline/client/node"',
        () => join(url, "race", { webSocket: NodeWebSocket }),
      );
    },

  'what nodeWebRtc() of "@paceline/client/node" resolves to': () =>
    cured(
      () => clientOf(URL, { webRtc: {} }),
      'what nodeWebRtc() of "@paceline/client/node" resolves to',
      async () => {
        const webRtc = await nodeWebRtc();
        // The library is optional.
        if (webRtc !== undefined) clientOf(URL, { webRtc });
      },
    ),

  "an http(s) or ws(s) address such as https://play.example.com": () =>
    cured(
      () => clientOf("play.example.com"),
      "such as https://play.example.com",
      () => clientOf("https://play.example.com"),
    ),

  "true, false or an object with getItem and setItem": () =>
    cured(
      () => clientOf(URL, { keepIdentity: {} }),
      "true, false or an object with getItem and setItem",
      () =>
        [true, false, { getItem: () => null, setItem: () => undefined }].map((keepIdentity) =>
          clientOf(URL, { keepIdentity }),
        ),
    ),

  "an AbortSignal": async () => {
    const url = await served();
    await cured(
      () => clientOf(url).joinOrCreate("race", {}, { signal: {} as AbortSignal }),
      "an AbortSignal",
      async () =>
        kept(await clientOf(url).joinOrCreate("race", {}, { signal: new AbortController().signal })),
    );
  },

  "what room.reconnectionToken said": async () => {
    const url = await served();
    const room = await join(url);
    await cured(
      () => clientOf(url).reconnect("my name"),
      "what room.reconnectionToken said",
      async () => kept(await clientOf(url).reconnect(room.reconnectionToken)),
    );
  },

  ', or more with { class: "bulk" }': async () => {
    const room = await join(await served());
    const long = "x".repeat(100_000);
    await cured(
      () => room.send("story", long),
      'or more with { class: "bulk" }',
      () => room.send("story", long, { class: "bulk" }),
    );
  },

  "a kind of entity, made by defineEntity": async () => {
    const room = await join(await served());
    await cured(
      () => room.spawn({ name: "car" } as unknown as typeof Car),
      "a kind of entity, made by defineEntity",
      () => room.spawn(Car),
    );
  },

  "a field, such as flag() or scalar({ range, precision })": () =>
    cured(
      () => defineEntity("thing", { speed: 5 } as never),
      "a field, such as flag() or scalar({ range, precision })",
      () => defineEntity("thing", { isOn: flag(), speed: scalar({ range: [0, 1], precision: 0.1 }) }),
    ),

  'nothing: write its parts${hasSet ? ", or all of them with set(...)" : ""}': async () => {
    const Row = defineEntity("row", { marks: list(flag(), 2) });
    const room = await join(await served());
    const car = room.spawn(Car);
    const marks = room.spawn(Row).marks as unknown as boolean[];
    await cured(
      () => ((car as { position: unknown }).position = { x: 1, y: 2 }),
      /nothing: write its parts, or all of them with set\(...\)/,
      () => {
        car.position.x = 1;
        car.position.set(1, 2);
        marks[0] = true;
      },
    );
  },

  "room.loop(step) instead, which advances itself: this room runs in steps, ${why} ${hz} per second":
    async () => {
      const room = await join(await served(), "race", { tickHz: 30 });
      await cured(
        () => room.advance(),
        "room.loop(step) instead",
        () => room.loop(() => undefined)(),
      );
    },

  "one loop at a time: stop the other one first": async () => {
    const room = await join(await served());
    const stop = room.loop(() => undefined);
    await cured(
      () => room.loop(() => undefined),
      "one loop at a time: stop the other one first",
      () => {
        stop();
        room.loop(() => undefined)();
      },
    );
  },

  "none: the LockstepSession calls its own step": async () => {
    const room = await join(await served());
    const steps: number[] = [];
    const session = new LockstepSession(room, {
      players: 1,
      step: () => void steps.push(1),
      readCommand: () => 1,
    });
    await cured(
      () => room.loop(() => undefined),
      "none: the LockstepSession calls its own step",
      () => vi.waitUntil(() => steps.length > 0, { timeout: 10_000 }),
    );
    expect(await messageOf(() => room.advance())).toContain(
      "nothing: the game runs in the `step` of its LockstepSession",
    );
    session.stop();
  },

  'paceline: a message "${type}" came, and nothing listens to it: call room.onMessage("${type}", ...) right after joining, before another await':
    async () => {
      const url = await served();
      const [one, two] = [await join(url), await join(url)];
      await vi.waitUntil(() => two.peers.length === 1, { timeout: 10_000 });
      const line = await lineOn("warn", "nothing listens", async () => two.send("hello", 1));
      const [, method, type] = /call room\.(\w+)\("(\w+)"/.exec(line)!;
      const heard: unknown[] = [];
      (one as unknown as Record<string, (type: string, listener: (message: unknown) => void) => void>)[
        method!
      ]!.call(one, type!, (message) => heard.push(message));
      two.send("hello", 2);
      await vi.waitUntil(() => heard.includes(2), { timeout: 10_000 });
    },

  'paceline: ${fullRooms} full room(s) of "${name}", so this player came into another one; friends stay together with the same { group: { key, size } } after the options, or come by joinById':
    async () => {
      const url = await served({ duel: { maxPlayers: 3 } });
      for (let count = 0; count < 3; count++) await join(url, "duel");
      await lineOn(
        "info",
        "friends stay together with the same { group: { key, size } } after the options",
        () => join(url, "duel"),
      );
      const friends = { group: { key: "ann-ben", size: 2 } };
      const first = kept(await clientOf(url).joinOrCreate("duel", {}, friends));
      const second = kept(await clientOf(url).joinOrCreate("duel", {}, friends));
      expect(second.roomId).toBe(first.roomId);
      const { roomId } = await join(url, "duel");
      expect(kept(await clientOf(url).joinById(roomId)).roomId).toBe(roomId);
    },

  "the room is full: joinOrCreate finds or opens another": async () => {
    const url = await served({ duel: { maxPlayers: 1 } });
    const { roomId } = await join(url, "duel");
    await cured(
      () => clientOf(url).joinById(roomId),
      "the room is full: joinOrCreate finds or opens another",
      () => join(url, "duel"),
    );
  },

  "no such session (any more), or one of another server: join as usual": async () => {
    const { reconnectionToken } = await join(await served());
    const url = await served();
    await cured(
      () => clientOf(url).reconnect(reconnectionToken),
      "no such session (any more), or one of another server: join as usual",
      () => join(url),
    );
  },

  "explain({ details: true }) has each of them": async () => {
    const url = await served();
    const one = await join(url);
    // A few players have rows of their own.
    for (let count = 0; count < 4; count++) await join(url);
    await vi.waitUntil(() => one.peers.length === 4, { timeout: 10_000 });
    const short = await one.transport.explain();
    expect(JSON.stringify(short)).toContain("explain({ details: true }) has each of them");
    expect((await one.transport.explain({ details: true })).length).toBeGreaterThan(short.length);
  },

  "nobody, or room.authority": async () => {
    const url = await served({ arena: Arena });
    const room = await join(url, "arena");
    await join(url, "arena");
    const [peer] = await vi.waitUntil(() => room.peers.length === 1 && room.peers, { timeout: 10_000 });
    const { shownTick } = room.clock;
    await cured(
      () => room.request("tick", shownTick, peer),
      "nobody, or room.authority",
      async () => {
        expect(await room.request("tick", shownTick)).toBe("seen");
        expect(await room.request("tick", shownTick, room.authority)).toBe("seen");
      },
    );
  },

  "a tick, as room.clock.shownTick says": async () => {
    let said = "";
    class Rewinding extends Arena {
      override onJoin(player: Player): void {
        this.onMessage("shot", (_from, tick) => {
          try {
            this.rewind(player, tick as number, () => (said = "seen"));
          } catch (error) {
            said = (error as Error).message;
          }
        });
      }
    }
    const room = await join(await served({ arena: Rewinding }), "arena");
    const answered = (text: string): Promise<unknown> =>
      vi.waitUntil(() => said.includes(text), { timeout: 10_000 });
    room.send("shot", "now");
    await answered("a tick, as room.clock.shownTick says");
    room.send("shot", room.clock.shownTick);
    await answered("seen");
  },

  "above 0 in a room that looks back": async () => {
    class Blind extends Arena {
      override readonly maxRewindMs = 0;
    }
    const ask = (room: ClientRoom): unknown => room.request("tick", room.clock.shownTick);
    expect(await logOf(Blind, ask)).toContain("maxRewindMs: expected above 0 in a room that looks back");
    expect(await logOf(Arena, ask)).toBe("");
  },

  "the room is not open yet: use onCreate, not the constructor": async () => {
    class Early extends Room {
      override readonly entities = [Car];
      constructor() {
        super();
        this.spawn(Car);
      }
    }
    class Right extends Room {
      override readonly entities = [Car];
      override onCreate(): void {
        this.spawn(Car);
      }
    }
    expect(await messageOf(() => new Early())).toContain("use onCreate, not the constructor");
    await join(await served({ right: Right }), "right");
  },

  "player ${last!.number} simulates this ${definition.name}: despawn it and spawn another one": async () => {
    const heard: string[] = [];
    class Owning extends Room {
      override readonly entities = [Car];
      override readonly playerEntities = [{ definition: Car }];
      override onCreate(): void {
        this.onMessage("take", async () => {
          const [car] = [...this.entitiesOf(Car)];
          heard.push(await messageOf(() => this.give(car!, undefined)));
          this.despawn(car!);
          heard.push(await messageOf(() => this.give(this.spawn(Car), undefined)));
        });
      }
    }
    const room = await join(await served({ owning: Owning }), "owning");
    room.spawn(Car);
    await vi.waitUntil(
      () => {
        room.send("take", 1);
        return heard.some((message) => message.includes("despawn it and spawn another one"));
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(heard.at(-1)).toBe("no error");
  },

  "a list of definitions by defineEntity": () =>
    withEntities({ Ghost }, "a list of definitions by defineEntity"),
  "a definition by defineEntity": () => withEntities([{ name: "ghost" }], "a definition by defineEntity"),

  "nothing: say maxPlayers": async () => {
    class Wrong extends Room {
      constructor() {
        super();
        Object.assign(this, { maxClients: 4 });
      }
    }
    class Right extends Room {
      override readonly maxPlayers = 4;
    }
    expect(await logOf(Wrong)).toContain("maxClients: expected nothing: say maxPlayers");
    expect(await logOf(Right)).toBe("");
  },

  "exactly one of secret, jwks and jwksUrl": () => {
    const secret = "a secret that is long enough for HS256";
    const expected = { issuer: "https://login.example", audience: "race" };
    return cured(
      () => jwtAuth(expected),
      "exactly one of secret, jwks and jwksUrl",
      () => [
        jwtAuth({ ...expected, secret }),
        jwtAuth({ ...expected, jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } }),
        jwtAuth({ ...expected, jwksUrl: "https://login.example/keys" }),
      ],
    );
  },

  "username and credential with a TURN server; or name it in turn.urls, with turn.secret": () => {
    const urls = "turn:turn.example:3478";
    const withOptions = (options: object): void => {
      servers.push(defineServer({ rooms: { race: { maxPlayers: 8 } }, log: silentLog, ...options }));
    };
    return cured(
      () => withOptions({ iceServers: [{ urls }] }),
      "username and credential with a TURN server; or name it in turn.urls, with turn.secret",
      () => {
        withOptions({ iceServers: [{ urls, username: "ann", credential: "word" }] });
        withOptions({ turn: { urls: [urls], secret: "s".repeat(32) } });
      },
    );
  },

  "0 where addressOf is given: that function reads the headers itself": () => {
    const withHops = (trustedProxyHops: number): void => {
      const addressOf = (): string => "192.0.2.1";
      servers.push(
        defineServer({ rooms: { race: { maxPlayers: 8 } }, log: silentLog, addressOf, trustedProxyHops }),
      );
    };
    return cured(
      () => withHops(1),
      "0 where addressOf is given",
      () => withHops(0),
    );
  },

  "use POST": async () => {
    const url = `${await served()}/match/joinOrCreate/race`;
    expect(await (await fetch(url)).text()).toContain("use POST");
    const body = JSON.stringify({ version: 5, options: {}, webrtc: false });
    expect((await fetch(url, { method: "POST", body })).status).toBe(200);
  },

  'use /match/METHOD/NAME, METHOD being one of ${matchMethods.join(", ")}': async () => {
    const url = await served();
    const body = JSON.stringify({ version: 5, options: {}, webrtc: false });
    const asked = (path: string): Promise<Response> =>
      fetch(`${url}/match/${path}`, { method: "POST", body });
    const [, methods] = /METHOD being one of ([\w, ]+)/.exec(await (await asked("enter/race")).text())!;
    for (const method of methods!.split(", ")) {
      const text = await (await asked(`${method}/race`)).text();
      expect(text).not.toContain("METHOD");
    }
  },

  "the game moves entities and calls neither room.advance nor room.loop: others see them less smoothly":
    async () => {
      const url = await served();
      const moving = async (moves: number, drive: (room: ClientRoom) => void): Promise<string[]> => {
        const room = await join(url);
        await join(url);
        const codes: string[] = [];
        room.onError(({ message }) => codes.push(message));
        const car = room.spawn(Car);
        drive(room);
        for (let move = 0; move < moves; move++) {
          car.position.x = move % 100;
          await new Promise((resolve) => setTimeout(resolve, 34));
          if (codes.length > 0) break;
        }
        return codes;
      };
      const [message] = await moving(200, () => undefined);
      expect(message).toContain("call room.advance() at the end of every frame");
      expect(await moving(45, (room) => room.loop(() => undefined))).toEqual([]);
      expect(await moving(45, (room) => void setInterval(() => room.advance(), 16).unref())).toEqual([]);
    },
};

/** Cures that another test tries: its file and a part of it. */
export const triedElsewhere: Readonly<Record<string, readonly [file: string, part: string]>> = {
  "unreadable welcome: update client or server": [
    "packages/client/test/bad-welcomes.sim.test.ts",
    "ends at once at a welcome of a mode that this build does not have",
  ],
  "${error instanceof Error ? error.message : String(error)}\npaceline rooms --help lists all.": [
    "packages/cli/test/rooms.test.ts",
    "paceline rooms --help",
  ],
  "its getItemRaw returned neither a Uint8Array nor null: use a driver that keeps bytes": [
    "packages/relay/test/saving/store.contract.test.ts",
    "getItemRaw",
  ],
  "cannot save a room in ${this.where}: the lock file was removed: start the server again": [
    "packages/relay/test/saving/file-store.test.ts",
    "lock file was removed",
  ],
  "make room there, or choose another directory; the last save of each room is untouched": [
    "packages/relay/test/saving/file-store.test.ts",
    "make room there",
  ],
  "give the user that runs the server the right to write there, or choose another directory": [
    "packages/relay/test/saving/file-store.test.ts",
    "right to write there",
  ],
  "a timer with a function is not saved: name a method of the room instead": [
    "packages/server/test/room-timers.sim.test.ts",
    "name a method of the room",
  ],
  "write room.advance() for this frame, or give the time of requestAnimationFrame, in ms": [
    "packages/client/test/bad-time.sim.test.ts",
    "owner.advance();",
  ],
  "a time in ms, as requestAnimationFrame and performance.now give it, or nothing": [
    "packages/client/test/bad-time.sim.test.ts",
    "as requestAnimationFrame and performance.now give it",
  ],
  "${message}; call room.advance() at the end of every frame": [
    "packages/cli/test/tried-cures.ts",
    "call room.advance() at the end of every frame",
  ],
  "nothing: the game runs in the `step` of its LockstepSession": [
    "packages/cli/test/tried-cures.ts",
    "nothing: the game runs in the `step` of its LockstepSession",
  ],
  "paceline: ${error.message}; room.onError(...) hears of all such errors": [
    "packages/server/test/mistakes.test.ts",
    "onError",
  ],
  "${waiting} entities wait: the profile's stateBytesPerSecond is ${stateBytesPerSecond}": [
    "packages/client/test/short-budget.sim.test.ts",
    "a budget that is too small for an owner's entities is said, with the number that would do",
  ],
  "${reason}; stateBytesPerSecond is ${whose}": [
    "packages/client/test/short-budget.sim.test.ts",
    "a budget that is too small for an owner's entities is said, with the number that would do",
  ],
  "stateBytesPerSecond is too small for what moves in the room: entities wait": [
    "packages/server/test/replicator.sim.test.ts",
    "neededBytesPerSecond",
  ],
  'a list of hosts such as "play.example.com" or "play.example.com:8443"': [
    "packages/cli/test/cures.test.ts",
    "play.example.com:8787",
  ],
  ", or all of them with set(...)": ["packages/cli/test/tried-cures.ts", "car.position.set(1, 2)"],
  "a Standard Schema validator, such as one of Zod, Valibot or ArkType": [
    "packages/server/test/messages.test.ts",
    "zod",
  ],
  "${why}\npaceline bots --help lists all options.": [
    "packages/cli/test/paceline.test.ts",
    "is answered with a call for help that lists the options",
  ],
  "${error.message}\npaceline dev --help lists all options.": [
    "packages/cli/test/paceline.test.ts",
    "--help",
  ],
  "${error.message}\n${command} --help lists all options.": [
    "packages/cli/test/paceline.test.ts",
    "is answered with a call for help that lists the options",
  ],
  "what readCommand takes": [
    "packages/client/test/lockstep-session.sim.test.ts",
    "in a command throw at once, and the match continues",
  ],
  'publicHosts: ["${quoted(host)}"] is missing in the server\'s options (--public-host)': [
    "packages/cli/test/cures.test.ts",
    "the setting that a refusal names admits the page",
  ],
  'allowedOrigins: ["${quoted(origin)}"] is missing in the server\'s options (--allow-origin)': [
    "packages/cli/test/cures.test.ts",
    "the setting that a refusal names admits the page",
  ],
  'Make JavaScript of it, "npx vite build --ssr ${file} --outDir dist-server", and name "--game ${built}"': [
    "packages/cli/test/paceline.test.ts",
    "start says how to make JavaScript of a game's file",
  ],
  'a class that extends Room of the server\'s own "@paceline/server": a bundle leaves that package out': [
    "packages/cli/test/paceline.test.ts",
    "a bundle leaves that package out",
  ],
  "choose another with ${flag}": [
    "packages/cli/test/paceline.test.ts",
    "names the flag of the admin page's port",
  ],
  "without --game they read no entities of the room's authority: a player of the game receives more bytes": [
    "packages/cli/test/paceline.test.ts",
    "receive the states of all kinds if --game names the file",
  ],
  "the token's signature is wrong: sign in at the issuer that this server trusts": [
    "packages/server/test/jwt-auth.test.ts",
    "jwtAuth(",
  ],
  'expected {"sessionId": "..."}': ["packages/cli/test/operations.test.ts", "sessionId"],
  "npm install ${what} (${reason}). The game is written; run npm install there again.": [
    "packages/create-paceline/test/create-paceline.test.ts",
    "npm install",
  ],
  '"${folder}" is a file; choose another folder.': [
    "packages/create-paceline/test/create-paceline.test.ts",
    "choose another folder",
  ],
  '"${folder}" is not empty (it has ${first}); choose another folder. Nothing was changed.': [
    "packages/create-paceline/test/create-paceline.test.ts",
    "choose another folder",
  ],
};
