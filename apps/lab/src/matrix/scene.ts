import { RemoteBrowser } from "../browsers/remote-browser.js";
import { Internet, type Host } from "../network/internet.js";
import { RelayProcess } from "../network/relay-process.js";
import { TurnServer } from "../network/turn-server.js";
import type { Ice, MatrixCase } from "./cases.js";
import type { ProbeReport } from "./probe-report.js";

/** A case's network, its server and its browsers, each with the laboratory's page. */
export class Scene {
  readonly hosts: readonly Host[];
  readonly relay: RelayProcess;
  readonly browsers: readonly RemoteBrowser[];
  readonly #internet: Internet;

  private constructor(internet: Internet, relay: RelayProcess, hosts: Host[], browsers: RemoteBrowser[]) {
    this.#internet = internet;
    this.relay = relay;
    this.hosts = hosts;
    this.browsers = browsers;
  }

  static async open({ participants, ice, rttMs, lossPercent }: MatrixCase): Promise<Scene> {
    const internet = new Internet();
    try {
      const { namespace, address } = internet.addServer("server", 10);
      const entries = ice === "none" ? [] : iceEntries(await TurnServer.start(internet), ice);
      const relay = await RelayProcess.start(namespace, address, entries);
      const hosts: Host[] = [];
      for (const { access } of participants) hosts.push(await internet.addHost(access));
      const browsers = await Promise.all(
        participants.map((participant, index) =>
          RemoteBrowser.launch(participant.browser, hosts[index]!.namespace, participant),
        ),
      );
      const scene = new Scene(internet, relay, hosts, browsers);
      // The page itself comes over a good network: how long it loads is not the subject.
      for (const browser of browsers) await browser.open(relay.url);
      for (const { wire } of hosts) await wire.set({ delayMs: rttMs / 2, lossPercent: lossPercent ?? 0 });
      return scene;
    } catch (error) {
      await internet.remove();
      throw error;
    }
  }

  call(index: number, method: string, ...args: unknown[]): Promise<unknown> {
    return this.browsers[index]!.call("probe", method, ...args);
  }

  async callAll(method: string, ...args: unknown[]): Promise<void> {
    await Promise.all(this.browsers.map((_, index) => this.call(index, method, ...args)));
  }

  async reports(): Promise<ProbeReport[]> {
    return (await Promise.all(this.browsers.map((_, index) => this.call(index, "report")))) as ProbeReport[];
  }

  /** Kinds of candidates of all WebRTC connections that are up. */
  async candidates(): Promise<string[]> {
    const all = await Promise.all(this.browsers.map((_, index) => this.call(index, "candidates")));
    return (all as string[][]).flat();
  }

  /** Asks until the answer is yes; false where it never was. */
  async until(isTrue: (reports: ProbeReport[]) => boolean, limitMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + limitMs;
    while (performance.now() < deadlineMs) {
      if (isTrue(await this.reports())) return true;
      await pause(100);
    }
    return false;
  }

  async close(): Promise<void> {
    await Promise.all(this.browsers.map((browser) => browser.close()));
    await this.relay.stop();
    await this.#internet.remove();
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function iceEntries(turn: TurnServer, ice: Exclude<Ice, "none">): string[] {
  const entries: Readonly<Record<typeof ice, () => string[]>> = {
    stun: () => [turn.stun],
    "turn-udp": () => [turn.stun, turn.turn("udp")],
    "turn-tcp": () => [turn.stun, turn.turn("udp"), turn.turn("tcp")],
    "turn-443": () => [turn.turn("tcp", 443)],
    "turn-wrong": () => [
      turn.turn("udp", 3478, { isSecretRight: false }),
      turn.turn("tcp", 3478, { isSecretRight: false }),
    ],
  };
  return entries[ice]();
}
