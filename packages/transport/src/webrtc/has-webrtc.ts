/** Returns true if this environment has WebRTC. Tests for the functions, not for names of browsers. */
export function hasWebRtc(): boolean {
  return typeof RTCPeerConnection === "function" && typeof RTCDataChannel === "function";
}
