/** Limit of bytes of an accepted description. One of a browser with data channels only has about 600. */
const MAX_SDP_BYTES = 8000;
/** A UDP candidate with a literal address: neither a name to look up nor a `.local` one. */
const CANDIDATE =
  /^(?:a=)?candidate:[\w+/]{1,32} [12] udp \d{1,10} ([\da-f.:]{2,45}) (\d{1,5}) typ (?:host|srflx|prflx|relay)(?: |$)/i;
/** Patterns of lines that every description must have. */
const required = [
  /^v=0$/m,
  /^m=application \d{1,5} (?:UDP|TCP)\/DTLS\/SCTP webrtc-datachannel$/m,
  /^a=ice-ufrag:[\w+/-]{4,256}$/m,
  /^a=ice-pwd:[\w+/-]{22,256}$/m,
  /^a=fingerprint:sha-(?:256|384|512) [\dA-F:]{95,191}$/im,
  /^a=setup:(?:actpass|active|passive)$/m,
  /^a=mid:[\w-]{1,32}$/m,
] as const;
const MAX_LINE_CHARACTERS = 1024;

/** A checked description or candidate of the other side, for a native parser. */
export type RemoteSignal =
  | { readonly type: "offer" | "answer"; readonly sdp: string }
  | { readonly type: "candidate"; readonly candidate: string; readonly mid: string; readonly address: string }
  | { readonly type: "ignored" };

/**
 * Checks a signal of a peer. Returns undefined for one that no honest peer sends. A candidate that is of no
 * use here (TCP, a name, the end of candidates) is `ignored`.
 */
export function readRemoteSignal(data: unknown): RemoteSignal | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, sdp, candidate } = data as { type?: unknown; sdp?: unknown; candidate?: unknown };
  if (type === "offer" || type === "answer") return descriptionOf(type, sdp);
  if (type === "candidate") return candidateOf(candidate);
  // With these, simple-peer asks for another offer and answer. A connection with fixed channels needs none.
  return type === "renegotiate" || type === "transceiverRequest" ? { type: "ignored" } : undefined;
}

function descriptionOf(type: "offer" | "answer", sdp: unknown): RemoteSignal | undefined {
  if (typeof sdp !== "string" || sdp.length > MAX_SDP_BYTES) return undefined;
  const lines = sdp.split(/\r?\n/);
  if (lines.some((line) => line.length > MAX_LINE_CHARACTERS || /[^\x20-\x7e]/.test(line))) return undefined;
  if (lines.filter((line) => line.startsWith("m=")).length !== 1) return undefined;
  const text = lines.join("\n");
  if (!required.every((pattern) => pattern.test(text))) return undefined;
  // Drops candidates inside a description, because they would be neither counted nor checked.
  const kept = lines.filter((line) => !/^a=(?:remote-)?candidate/i.test(line));
  return { type, sdp: kept.join("\r\n") };
}

function candidateOf(given: unknown): RemoteSignal | undefined {
  if (given === null || given === undefined) return { type: "ignored" };
  if (typeof given !== "object") return undefined;
  const { candidate, sdpMid } = given as { candidate?: unknown; sdpMid?: unknown };
  if (typeof candidate !== "string" || candidate.length > 512) return undefined;
  if (candidate === "") return { type: "ignored" };
  if (!/^(?:a=)?candidate:/.test(candidate) || /[^\x20-\x7e]/.test(candidate)) return undefined;
  const [, address, port] = CANDIDATE.exec(candidate) ?? [];
  if (address === undefined || Number(port) < 1 || Number(port) > 65_535) return { type: "ignored" };
  const mid = typeof sdpMid === "string" && /^[\w-]{1,32}$/.test(sdpMid) ? sdpMid : "0";
  return { type: "candidate", candidate: candidate.replace(/^a=/, ""), mid, address };
}
