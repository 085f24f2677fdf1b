import { RemoteBrowser } from "../browsers/remote-browser.js";
import { Internet, type Host } from "../network/internet.js";
import { RelayProcess } from "../network/relay-process.js";
import { FOREIGN_TURN_SECRET, TURN_SECRET, TurnServer } from "../network/turn-server.js";
import type { Ice, MatrixCase } from "./cases.js";
import type { ConnectionStep, ProbeReport } from "./probe-report.js";

/** A case's network, its server, and its browsers, each with the laboratory's page. */
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
      const flags = ice === "none" ? [] : iceFlags(await TurnServer.start(internet), ice);
      const relay = await RelayProcess.start(namespace, address, flags);
      const hosts: Host[] = [];
      for (const { access } of participants) hosts.push(await internet.addHost(access));
      const browsers = await Promise.all(
        participants.map((participant, index) =>
          RemoteBrowser.launch(participant.browser, hosts[index]!.namespace, participant),
        ),
      );
      const scene = new Scene(internet, relay, hosts, browsers);
      // Loads the page over a good network, since load times are not measured.
      for (const browser of browsers) await browser.open(relay.url);
      for (const each of [namespace, ...hosts.map((host) => host.namespace)]) each.hurry();
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

  /** Returns the candidate types of all open WebRTC connections. */
  async candidates(): Promise<string[]> {
    const all = await Promise.all(this.browsers.map((_, index) => this.call(index, "candidates")));
    return (all as string[][]).flat();
  }

  /** Returns each participant's WebRTC connections with their steps. */
  async connectionSteps(): Promise<ConnectionStep[][][]> {
    const all = await Promise.all(this.browsers.map((_, index) => this.call(index, "steps")));
    return all as ConnectionStep[][][];
  }

  /** Polls the reports until `isTrue`; false if the limit passes first. */
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

/**
 * Returns the relay server's flags for ICE. It creates the TURN passwords from a secret; `turn-wrong` gives
 * it another secret.
 */
function iceFlags(turn: TurnServer, ice: Exclude<Ice, "none">): string[] {
  const stun = ["--ice", turn.stun];
  const minted = (secret: string, ...urls: string[]): string[] => [
    ...urls.flatMap((url) => ["--turn", url]),
    "--turn-secret",
    secret,
  ];
  const [udp, tcp] = [turn.url("udp"), turn.url("tcp")];
  switch (ice) {
    case "stun":
      return stun;
    case "turn-udp":
      return [...stun, ...minted(TURN_SECRET, udp)];
    case "turn-tcp":
      return [...stun, ...minted(TURN_SECRET, udp, tcp)];
    case "turn-443":
      return minted(TURN_SECRET, turn.url("tcp", 443));
    case "turn-wrong":
      return minted(FOREIGN_TURN_SECRET, udp, tcp);
  }
}
