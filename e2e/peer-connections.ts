/** A scenario's actions on WebRTC inside a page; each function runs there and sees nothing of the test. */

interface Tampered {
  openConnections?: RTCPeerConnection[];
}

/** Before the page's scripts: as in a browser that was built without it. */
export function withoutWebRtc(): void {
  Reflect.deleteProperty(globalThis, "RTCPeerConnection");
  Reflect.deleteProperty(globalThis, "webkitRTCPeerConnection");
}

/** Before the page's scripts: keeps every connection within reach of {@link killWebRtc}. */
export function rememberWebRtc(): void {
  const opened: RTCPeerConnection[] = [];
  (globalThis as Tampered).openConnections = opened;
  const Native = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      opened.push(this);
    }
  };
}

/** Bytes of one pair of players over some seconds: as its panel shows them, and as the browser's own statistics count them. */
export interface CountedBytes {
  readonly shown: { readonly received: number; readonly sent: number };
  readonly counted: { readonly received: number; readonly sent: number };
}

/**
 * Adds up the rates that the room shows of its only peer, from one of its samples to another so many later, and takes
 * what the connection counts in its data channels meanwhile. For a page with {@link rememberWebRtc}.
 */
export async function countBytes(samples: number): Promise<CountedBytes> {
  interface Rates {
    readonly bytesInPerSecond: number;
    readonly bytesOutPerSecond: number;
  }
  const page = globalThis as unknown as {
    readonly paceline: { readonly room: { readonly peers: readonly { readonly stats: Rates }[] } };
  };
  interface ChannelCount {
    readonly type: string;
    readonly bytesReceived?: number;
    readonly bytesSent?: number;
  }
  const nextRates = async (before: Rates): Promise<Rates> => {
    for (;;) {
      const { bytesInPerSecond, bytesOutPerSecond } = page.paceline.room.peers[0]!.stats;
      const isNew =
        bytesInPerSecond !== before.bytesInPerSecond || bytesOutPerSecond !== before.bytesOutPerSecond;
      if (isNew) return { bytesInPerSecond, bytesOutPerSecond };
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  };
  const count = async (): Promise<{ received: number; sent: number }> => {
    const total = { received: 0, sent: 0 };
    for (const connection of (globalThis as Tampered).openConnections ?? []) {
      for (const entry of ((await connection.getStats()) as ReadonlyMap<string, ChannelCount>).values()) {
        if (entry.type !== "data-channel") continue;
        total.received += entry.bytesReceived ?? 0;
        total.sent += entry.bytesSent ?? 0;
      }
    }
    return total;
  };
  let rates = await nextRates(page.paceline.room.peers[0]!.stats);
  let sampledAtMs = performance.now();
  const first = await count();
  const shown = { received: 0, sent: 0 };
  for (let sample = 0; sample < samples; sample++) {
    rates = await nextRates(rates);
    const seconds = (performance.now() - sampledAtMs) / 1000;
    sampledAtMs += seconds * 1000;
    shown.received += rates.bytesInPerSecond * seconds;
    shown.sent += rates.bytesOutPerSecond * seconds;
  }
  const last = await count();
  return { shown, counted: { received: last.received - first.received, sent: last.sent - first.sent } };
}

/** Closes the browser's connections beneath the SDK, which is not asked and not told. Returns how many were open. */
export function killWebRtc(): number {
  const opened = (globalThis as Tampered).openConnections ?? [];
  for (const connection of opened) connection.close();
  return opened.splice(0).length;
}
