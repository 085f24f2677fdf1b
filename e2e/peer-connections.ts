/** What a scenario does to WebRTC inside a page; each function runs there and sees nothing of the test. */

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

/** Closes the browser's connections beneath the SDK, which is not asked and not told. Returns how many were open. */
export function killWebRtc(): number {
  const opened = (globalThis as Tampered).openConnections ?? [];
  for (const connection of opened) connection.close();
  return opened.splice(0).length;
}
