/** Runs the link contract on real data channels. e2e/link-contract.spec.ts builds and opens this page. */
import { linkContract, type LinkPair } from "@paceline/testkit";
import { systemScheduler } from "@paceline/transport";
import { WebRtcLink } from "@paceline/transport/webrtc";
import { signalThrough } from "../signal-through.js";

/** Result of a rule. Without `failure` it was kept. */
interface Outcome {
  readonly title: string;
  readonly failure?: string;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The path between both links. The test controls it: see {@link UdpBottleneck}. */
interface NarrowPath {
  open(): Promise<PathEnds>;
  narrow(isNarrow: boolean): Promise<void>;
  close(): Promise<void>;
}

interface PathEnds {
  readonly address: string;
  readonly a: number;
  readonly b: number;
}

declare const narrowPath: NarrowPath;

/**
 * Two links in this page. They exchange signals by function calls, and reach each other only over that path.
 */
async function webRtcPair(): Promise<LinkPair> {
  const { address, a: portOfA, b: portOfB } = await narrowPath.open();
  const linkOf = (isInitiator: boolean, port: number, other: () => WebRtcLink): WebRtcLink =>
    new WebRtcLink({
      scheduler: systemScheduler,
      isInitiator,
      iceServers: [],
      onSignal: (data) => other().signal(signalThrough(data, address, port)),
    });
  const a: WebRtcLink = linkOf(true, portOfB, () => b);
  const b: WebRtcLink = linkOf(false, portOfA, () => a);
  return {
    a,
    b,
    pass: wait,
    congest: (isSlow) => narrowPath.narrow(isSlow),
    async dispose() {
      a.close(4000, "test over");
      b.close(4000, "test over");
      await narrowPath.close();
    },
  };
}

async function outcomes(): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (const { title, run } of linkContract) {
    const pair = await webRtcPair();
    try {
      await run(pair);
      results.push({ title });
    } catch (error) {
      results.push({ title, failure: String(error) });
    }
    await pair.dispose();
  }
  return results;
}

Object.assign(globalThis, { linkContractOutcomes: outcomes() });
