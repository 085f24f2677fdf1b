/** Runs the link contract on real data channels: built and opened by e2e/link-contract.spec.ts. */
import { linkContract, type LinkPair } from "@paceline/testkit";
import { systemScheduler } from "@paceline/transport";
import { WebRtcLink } from "@paceline/transport/webrtc";

/** What a rule came to; no failure: it was kept. */
interface Outcome {
  readonly title: string;
  readonly failure?: string;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Two links in this page that signal to each other by a function call. */
function webRtcPair(): LinkPair {
  const linkOf = (isInitiator: boolean, other: () => WebRtcLink): WebRtcLink =>
    new WebRtcLink({
      scheduler: systemScheduler,
      isInitiator,
      iceServers: [],
      onSignal: (data) => other().signal(structuredClone(data)),
    });
  const a: WebRtcLink = linkOf(true, () => b);
  const b: WebRtcLink = linkOf(false, () => a);
  return {
    a,
    b,
    pass: wait,
    async dispose() {
      a.close(4000, "test over");
      b.close(4000, "test over");
    },
  };
}

async function outcomes(): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (const { title, needs, run } of linkContract) {
    if (needs === "congest") continue;
    const pair = webRtcPair();
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
