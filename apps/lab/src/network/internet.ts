import { Namespace } from "./namespace.js";
import { Wire } from "./wire.js";

/** A host's access to the internet. */
export type Access =
  | "open"
  /** Behind a NAT that keeps ports: the hole that one remote uses also works for another. */
  | "nat"
  /** Behind a NAT that takes another port for each remote. */
  | "symmetric-nat"
  /** Behind a NAT that blocks UDP. */
  | "udp-blocked"
  /** Behind a NAT that lets only TCP to the ports 80 and 443 pass. */
  | "web-only";

/** One participant's host, and its wire. */
export interface Host {
  readonly namespace: Namespace;
  readonly wire: Wire;
}

const GATEWAY_FILTERS: Readonly<Record<Exclude<Access, "open">, string>> = {
  nat: "",
  "symmetric-nat": "",
  "udp-blocked": "meta l4proto udp drop",
  "web-only": `meta l4proto udp drop
    iifname "lan" ct state new tcp dport != { 80, 443 } reject with tcp reset`,
};

/** A small internet: a segment of public addresses (RFC 5737), servers on it, and hosts behind wires. */
export class Internet {
  readonly #namespaces: Namespace[] = [];
  readonly #wires: Wire[] = [];
  readonly #segment: Namespace;
  #hosts = 0;

  constructor() {
    this.#segment = this.#namespace("net");
    this.#segment.ip("link", "add", "br0", "type", "bridge");
    this.#segment.ip("link", "set", "br0", "up");
    this.#segment.ip("addr", "add", "203.0.113.1/24", "dev", "br0");
  }

  /** Adds a server at 203.0.113.`number`. It has no wire: the wires of the hosts make the distance. */
  addServer(label: string, number: number): { readonly namespace: Namespace; readonly address: string } {
    const namespace = this.#namespace(label);
    this.#plugIn(namespace, "eth0", label);
    const address = `203.0.113.${number}`;
    this.#address(namespace, "eth0", address, "203.0.113.1");
    return { namespace, address };
  }

  /**
   * Adds a host behind a wire, and behind a gateway unless it is open. Its number is the seed of its losses.
   */
  async addHost(access: Access): Promise<Host> {
    const number = ++this.#hosts;
    const namespace = this.#namespace(`host${number}`);
    if (access === "open") {
      const wire = await this.#connect(namespace, this.#segment, `h${number}`, number);
      this.#segment.ip("link", "set", `h${number}`, "master", "br0");
      this.#address(namespace, "eth0", `203.0.113.${100 + number}`, "203.0.113.1");
      return { namespace, wire };
    }
    const gateway = this.#namespace(`gate${number}`);
    const wire = await this.#connect(namespace, gateway, "lan", number);
    this.#plugIn(gateway, "wan", `g${number}`);
    this.#address(gateway, "wan", `203.0.113.${100 + number}`, "203.0.113.1");
    gateway.ip("addr", "add", `192.168.${number}.1/24`, "dev", "lan");
    this.#address(namespace, "eth0", `192.168.${number}.2`, `192.168.${number}.1`);
    gateway.sysctl("net.ipv4.ip_forward=1");
    gateway.nft(gatewayRules(access));
    return { namespace, wire };
  }

  async remove(): Promise<void> {
    for (const wire of this.#wires.splice(0)) await wire.disconnect();
    for (const namespace of this.#namespaces.splice(0)) namespace.remove();
  }

  #namespace(label: string): Namespace {
    const namespace = new Namespace(label);
    this.#namespaces.push(namespace);
    return namespace;
  }

  async #connect(host: Namespace, to: Namespace, interfaceName: string, seed: number): Promise<Wire> {
    const wire = await Wire.connect(
      { namespace: host, interfaceName: "eth0" },
      { namespace: to, interfaceName },
      seed,
    );
    this.#wires.push(wire);
    return wire;
  }

  /** Connects a namespace to the public segment by a cable without delay or loss. */
  #plugIn(namespace: Namespace, interfaceName: string, portName: string): void {
    const { name } = this.#segment;
    namespace.ip("link", "add", interfaceName, "type", "veth", "peer", "name", portName, "netns", name);
    this.#segment.ip("link", "set", portName, "master", "br0");
    this.#segment.ip("link", "set", portName, "up");
    namespace.ip("link", "set", interfaceName, "up");
  }

  /** Sets an address and a default route, without which browsers offer no address for WebRTC. */
  #address(namespace: Namespace, interfaceName: string, address: string, router: string): void {
    namespace.ip("addr", "add", `${address}/24`, "dev", interfaceName);
    namespace.ip("route", "add", "default", "via", router);
    // The kernel's default may differ; most servers on the internet run cubic.
    const route = ["dev", interfaceName, "proto", "kernel", "scope", "link", "congctl", "cubic"];
    namespace.ip("route", "change", `${address.replace(/\d+$/, "0")}/24`, ...route);
    namespace.ip("route", "change", "default", "via", router, "congctl", "cubic");
  }
}

function gatewayRules(access: Exclude<Access, "open">): string {
  const ports = access === "symmetric-nat" ? "masquerade fully-random" : "masquerade";
  return `
table ip translation {
  chain outgoing {
    type nat hook postrouting priority 100
    oifname "wan" ${ports}
  }
}
table inet filter {
  chain passing {
    type filter hook forward priority 0; policy drop
    ${GATEWAY_FILTERS[access]}
    ct state established,related accept
    iifname "lan" accept
  }
  chain incoming {
    type filter hook input priority 0
    iifname "wan" ct state new drop
  }
}
`;
}
