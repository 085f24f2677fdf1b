import { RoutedLoss, type Scheduler, type SignalledLink, type WebRtcLinkMaker } from "@paceline/transport";
import { vi } from "vitest";
import { AdmittedLink } from "../../relay/src/admission/admitted-link.js";
import type { Participant } from "../../relay/src/sessions/participant.js";
import { WebRtcAnswerer } from "../../relay/src/signaling/webrtc-answerer.js";

/**
 * Makes the server answer WebRTC offers as with the native library, over the simulated network of `maker`.
 * Returns a function that ends this.
 */
export function serveVirtualWebRtc(
  maker: WebRtcLinkMaker,
  scheduler: Scheduler,
  onOffer: (offer: number) => void = () => undefined,
): () => void {
  const ready = vi.spyOn(WebRtcAnswerer.prototype, "isReady", "get").mockReturnValue(true);
  const links = new Map<string, SignalledLink>();
  const answer = (participant: Participant, attempt: number, data: unknown): void => {
    const name = `${participant.number} ${attempt}`;
    const known = links.get(name);
    if (known) return known.signal(data);
    onOffer((data as { readonly offer: number }).offer);
    const link = maker({
      scheduler,
      isInitiator: false,
      iceServers: [],
      onSignal: (signal) => participant.sendControl({ type: "signal", from: 0, attempt, data: signal }),
    });
    links.set(name, link);
    const admitted = new AdmittedLink(link, { sending: () => undefined, closing: () => undefined });
    participant.links.attachBeside(admitted, {
      preference: 2,
      needsProof: true,
      carries: "unreliable",
      connectTimeoutMs: 10_000,
      timeoutMs: 3000,
      heartbeatMs: 1000,
      measureMs: 4000,
      routed: new RoutedLoss(),
    });
    link.signal(data);
  };
  const signals = vi.spyOn(WebRtcAnswerer.prototype, "signal").mockImplementation(answer);
  return () => {
    ready.mockRestore();
    signals.mockRestore();
  };
}
