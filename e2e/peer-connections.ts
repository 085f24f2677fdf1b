/** WebRTC actions of scenarios. Each function runs inside a page and can use no variables of the test. */

interface Tampered {
  openConnections?: RTCPeerConnection[];
}

/** Removes WebRTC before the page's scripts run, as in a browser without it. */
export function withoutWebRtc(): void {
  Reflect.deleteProperty(globalThis, "RTCPeerConnection");
  Reflect.deleteProperty(globalThis, "webkitRTCPeerConnection");
}

/** Records every connection before the page's scripts run, for {@link killWebRtc}. */
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

/** Bytes of one pair of players over some seconds, as its panel shows them and as the browser counts them. */
export interface CountedBytes {
  readonly shown: { readonly received: number; readonly sent: number };
  readonly counted: { readonly received: number; readonly sent: number };
}

/**
 * Adds up the shown rates of the room's only peer over `samples` samples, and counts the bytes of the
 * connection's data
 * channels in the same time. Needs {@link rememberWebRtc}.
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

/** Records connections and counts WebSocket bytes before the page's scripts run, for {@link countTotals}. */
export function rememberTraffic(): void {
  const opened: RTCPeerConnection[] = [];
  const socketBytes = { in: 0, out: 0 };
  Object.assign(globalThis, { openConnections: opened, socketBytes });
  const NativeConnection = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends NativeConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      opened.push(this);
    }
  };
  const NativeSocket = globalThis.WebSocket;
  globalThis.WebSocket = class extends NativeSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
        socketBytes.in += data.byteLength;
      });
    }
    override send(data: ArrayBufferView<ArrayBuffer>): void {
      socketBytes.out += data.byteLength;
      super.send(data);
    }
  };
}

interface BothWays {
  in: number;
  out: number;
}

/**
 * Returns the bytes that the panel shows over this many refreshes, and those that browser and sockets count.
 */
export async function countTotals(refreshes: number): Promise<{ shown: BothWays; counted: BothWays }> {
  const totals = (): HTMLElement =>
    document.querySelector("[data-paceline-panel]")!.shadowRoot!.querySelector<HTMLElement>("[data-totals]")!;
  while (!document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("[data-bytes-in]"))
    await new Promise((resolve) => setTimeout(resolve, 20));
  const refreshed = (): Promise<void> =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        resolve();
      });
      observer.observe(totals(), { attributes: true });
    });
  const look = async (): Promise<{ shown: BothWays; counted: BothWays }> => {
    await refreshed();
    const { bytesIn, bytesOut } = totals().dataset;
    const tampered = globalThis as unknown as {
      readonly openConnections: readonly RTCPeerConnection[];
      readonly socketBytes: BothWays;
    };
    const counted = { ...tampered.socketBytes };
    for (const connection of tampered.openConnections) {
      const stats = (await connection.getStats()) as ReadonlyMap<
        string,
        { readonly type: string; readonly bytesReceived?: number; readonly bytesSent?: number }
      >;
      for (const entry of stats.values()) {
        if (entry.type !== "data-channel") continue;
        counted.in += entry.bytesReceived ?? 0;
        counted.out += entry.bytesSent ?? 0;
      }
    }
    return { shown: { in: Number(bytesIn), out: Number(bytesOut) }, counted };
  };
  const first = await look();
  for (let count = 1; count < refreshes; count++) await refreshed();
  const last = await look();
  const since = (from: BothWays, to: BothWays): BothWays => ({ in: to.in - from.in, out: to.out - from.out });
  return { shown: since(first.shown, last.shown), counted: since(first.counted, last.counted) };
}

/** Closes the browser's connections without telling the SDK. Returns the number of open ones. */
export function killWebRtc(): number {
  const opened = (globalThis as Tampered).openConnections ?? [];
  for (const connection of opened) connection.close();
  return opened.splice(0).length;
}
