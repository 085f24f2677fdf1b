import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import type { CountsByName, Relay, RoomReport } from "@paceline/relay";
import type { Histogram, RoomReport as AuthorityReport } from "@paceline/server";

/** Everything begins with this, so that it can be found. */
const PREFIX = "paceline_";

/** The relay's counters and gauges in Prometheus' words. Read when they are asked for: nothing is paid before. */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly #relay: Relay;

  /** `authorities`: what rooms that decide have measured. */
  constructor(relay: Relay, authorities: () => readonly AuthorityReport[]) {
    this.#relay = relay;
    collectDefaultMetrics({ register: this.registry });
    this.#gauges();
    this.#counters();
    this.#ticks(authorities);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text of `GET /metrics`. */
  async text(): Promise<string> {
    return await this.registry.metrics();
  }

  #gauges(): void {
    const relay = this.#relay;
    this.#gauge("rooms", "Rooms, by their kind", ["room"], (gauge) => {
      for (const [room, count] of tally(relay.rooms(), ({ roomName }) => roomName))
        gauge.set({ room }, count);
    });
    this.#gauge("sessions", "Participants, by what carries their traffic; none: away", ["path"], (gauge) => {
      const paths = tally(sessionsOf(relay.rooms()), ({ link }) => link ?? "none");
      for (const [path, count] of paths) gauge.set({ path }, count);
    });
    this.#gauge("connections", "Open sockets", [], (gauge) => gauge.set(relay.health().connections));
    this.#gauge("queued_bytes", "Bytes that wait for slow receivers", ["of"], (gauge) => {
      const queued = sessionsOf(relay.rooms()).map(({ queuedBytes }) => queuedBytes);
      gauge.set(
        { of: "all" },
        queued.reduce((sum, bytes) => sum + bytes, 0),
      );
      gauge.set({ of: "slowest" }, Math.max(0, ...queued));
    });
    this.#gauge("unacknowledged_messages", "Reliable messages on their way, together", [], (gauge) => {
      const waiting = sessionsOf(relay.rooms()).reduce((sum, { unacknowledged }) => sum + unacknowledged, 0);
      gauge.set(waiting);
    });
  }

  #counters(): void {
    const { counts } = this.#relay;
    this.#byName("seats_total", "Seats given out, by the way of asking", "method", () => counts.seats);
    this.#byName("match_refusals_total", "Match requests without a seat", "code", () => counts.matchRefusals);
    this.#byName("entries_total", "Participants who came or came back", "how", () => counts.entries);
    this.#byName("link_closes_total", "Links that ended or were refused", "code", () => counts.linkCloses);
    this.#byName("session_ends_total", "Sessions that ended", "code", () => counts.sessionEnds);
    this.#byName("drops_total", "Packets and messages dropped", "reason", () => this.#relay.health().drops);
    for (const unit of ["packets", "bytes"] as const) {
      this.#counter(`sent_${unit}_total`, `Sent ${unit}, without frames`, ["link", "class"], (counter) => {
        for (const [link, classes] of Object.entries(counts.sent)) {
          for (const [name, count] of Object.entries(classes))
            counter.inc({ link, class: name }, count[unit]);
        }
      });
      this.#counter(`received_${unit}_total`, `Received ${unit}, without frames`, ["link"], (counter) => {
        for (const [link, count] of Object.entries(counts.received)) counter.inc({ link }, count[unit]);
      });
    }
  }

  #ticks(authorities: () => readonly AuthorityReport[]): void {
    const worst = (gauge: Gauge, of: (report: AuthorityReport) => Histogram): void => {
      for (const share of [0.5, 0.95, 0.99]) {
        const ms = authorities().map((report) => of(report).quantile(share));
        gauge.set({ quantile: String(share) }, Math.max(0, ...ms));
      }
    };
    const labels = ["quantile"];
    this.#gauge("tick_ms", "How long steps of rooms that decide take, in the worst room", labels, (gauge) =>
      worst(gauge, ({ duration }) => duration),
    );
    this.#gauge("tick_lateness_ms", "How late these steps begin, in the worst room", labels, (gauge) =>
      worst(gauge, ({ lateness }) => lateness),
    );
    this.#gauge("ticks_skipped", "Steps that open rooms have left out", [], (gauge) => {
      gauge.set(authorities().reduce((sum, { skippedTicks }) => sum + skippedTicks, 0));
    });
  }

  #gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void): void {
    const collect = function (this: Gauge): void {
      // What is gone must not be reported for ever.
      this.reset();
      read(this);
    };
    this.registry.registerMetric(
      new Gauge({ name: PREFIX + name, help, labelNames, registers: [], collect }),
    );
  }

  /** The relay counts already: what is shown is set anew each time. */
  #counter(name: string, help: string, labelNames: string[], read: (counter: Counter) => void): void {
    const collect = function (this: Counter): void {
      this.reset();
      read(this);
    };
    this.registry.registerMetric(
      new Counter({ name: PREFIX + name, help, labelNames, registers: [], collect }),
    );
  }

  #byName(name: string, help: string, label: string, read: () => CountsByName): void {
    this.#counter(name, help, [label], (counter) => {
      for (const [value, count] of Object.entries(read())) counter.inc({ [label]: value }, count);
    });
  }
}

function sessionsOf(rooms: readonly RoomReport[]): RoomReport["sessions"] {
  return rooms.flatMap(({ sessions }) => sessions);
}

function tally<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}
