/** Whether this environment has WebRTC; asked, not guessed from names. */
export function hasWebRtc(): boolean {
  return typeof RTCPeerConnection === "function" && typeof RTCDataChannel === "function";
}
