import { RemoteBrowser } from "../browsers/remote-browser.js";
import { Internet, type Host } from "../network/internet.js";
import { RelayProcess } from "../network/relay-process.js";
import { TURN_SECRET, TurnServer } from "../network/turn-server.js";
import type { Ice, MatrixCase } from "./cases.js";
import type { ConnectionStep, ProbeReport } from "./probe-report.js";

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
      // The page itself comes over a good network: how long it loads is not the subject.
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

  /** Kinds of candidates of all WebRTC connections that are up. */
  async candidates(): Promise<string[]> {
    const all = await Promise.all(this.browsers.map((_, index) => this.call(index, "candidates")));
    return (all as string[][]).flat();
  }

  /** Each participant's WebRTC connections with their events and times. */
  async connectionSteps(): Promise<ConnectionStep[][][]> {
    const all = await Promise.all(this.browsers.map((_, index) => this.call(index, "steps")));
    return all as ConnectionStep[][][];
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

/** Passwords for TURN are minted by the relay server, as in earnest: where they are wrong it has another secret. */
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
      return minted("a secret of somebody else", udp, tcp);
  }
}
