import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { histogramText } from "./histogram-text.js";
import type { RoomClassReport, RoomClassSource } from "./room-class-report.js";
import type { CountsByName, Relay, RoomReport } from "@paceline/relay";

const PREFIX = "paceline_";

/** The relay's counters and gauges as Prometheus metrics. They are read only on request. */
export class ServerMetrics {
  readonly registry = new Registry();
  /** Wrong tokens of admin requests; the admin server counts them. */
  wrongAdminTokens = 0;
  readonly #relay: Relay;
  readonly #roomClasses: RoomClassSource | undefined;

  /** `roomClasses`: counters of rooms with an authority, if there are such rooms. */
  constructor(relay: Relay, roomClasses?: RoomClassSource) {
    this.#relay = relay;
    this.#roomClasses = roomClasses;
    collectDefaultMetrics({ register: this.registry });
    this.#gauges();
    this.#registerCounters();
    if (roomClasses) this.#classes(roomClasses);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    return (await this.registry.metrics()) + this.#histograms();
  }

  #histograms(): string {
    const reports = this.#roomClasses?.() ?? [];
    if (reports.length === 0) return "";
    const text = (of: "duration" | "lateness", name: string, help: string): string => {
      const rooms = reports.map((report) => ({ room: report.roomName, durations: report[of] }));
      return `\n${histogramText(PREFIX + name, help, rooms)}`;
    };
    const durations = text("duration", "tick_seconds", "How long steps took");
    return durations + text("lateness", "tick_lateness_seconds", "How late steps began");
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
    this.#gauge("held_bytes", "Memory that is kept for sessions, queues included", ["of"], (gauge) => {
      const held = sessionsOf(relay.rooms()).map(({ heldBytes }) => heldBytes);
      gauge.set(
        { of: "all" },
        held.reduce((sum, bytes) => sum + bytes, 0),
      );
      gauge.set({ of: "largest" }, Math.max(0, ...held));
    });
    this.#gauge("unacknowledged_messages", "Reliable messages on their way, together", [], (gauge) => {
      const waiting = sessionsOf(relay.rooms()).reduce((sum, { unacknowledged }) => sum + unacknowledged, 0);
      gauge.set(waiting);
    });
  }

  #registerCounters(): void {
    const { counts } = this.#relay;
    this.#byName("seats_total", "Seats given out, by the way of asking", "method", () => counts.seats);
    this.#byName("match_refusals_total", "Match requests without a seat", "code", () => counts.matchRefusals);
    this.#byName("limited_total", "What a limit held back", "limit", () => counts.limited);
    const { backPressure } = counts;
    this.#byName("back_pressure_total", "Effects of the limits of forwards", "effect", () => backPressure);
    this.#byName("entries_total", "Participants who came or came back", "how", () => counts.entries);
    this.#byName("link_closes_total", "Links that ended or were refused", "code", () => counts.linkCloses);
    this.#byName("session_ends_total", "Sessions that ended", "code", () => counts.sessionEnds);
    this.#byName("saves_total", "Saves of persistent rooms", "outcome", () => counts.saves);
    this.#byName("store_total", "Calls of the store of rooms", "outcome", () => counts.store);
    this.#byName("faults_total", "Errors that were contained", "place", () => counts.faults);
    this.#counter("log_dropped_total", "Lines that the log has lost", [], (counter) =>
      counter.inc(this.#relay.health().logDropped),
    );
    this.#byName("drops_total", "Packets and messages dropped", "reason", () => this.#relay.health().drops);
    this.#counter("admin_wrong_tokens_total", "Wrong tokens for the admin page", [], (counter) =>
      counter.inc(this.wrongAdminTokens),
    );
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

  /** Adds metrics of rooms with an authority, by class. The counts of closed rooms stay in them. */
  #classes(source: RoomClassSource): void {
    const each = (read: (report: RoomClassReport, room: string) => void): void => {
      for (const report of source()) read(report, report.roomName);
    };
    this.#gauge("authority_rooms", "Open rooms with an authority", ["room"], (gauge) =>
      each(({ rooms }, room) => gauge.set({ room }, rooms)),
    );
    this.#gauge("authority_players", "Players in rooms with an authority", ["room"], (gauge) =>
      each(({ players }, room) => gauge.set({ room }, players)),
    );
    this.#gauge("authority_entities", "Entities in rooms with an authority", ["room"], (gauge) =>
      each(({ entities }, room) => gauge.set({ room }, entities)),
    );
    this.#counter("ticks_total", "Steps that were made", ["room"], (counter) =>
      each(({ ticks }, room) => counter.inc({ room }, ticks)),
    );
    this.#counter("ticks_skipped_total", "Steps that were due and never made", ["room"], (counter) =>
      each(({ skippedTicks }, room) => counter.inc({ room }, skippedTicks)),
    );
    this.#counter("hook_errors_total", "Hooks that failed", ["room", "hook"], (counter) =>
      each(({ counters }, room) => {
        for (const [hook, count] of Object.entries(counters.hookErrors)) counter.inc({ room, hook }, count);
      }),
    );
    this.#counter("room_events_total", "What happened in rooms, by kind", ["room", "event"], (counter) =>
      each(({ counters }, room) => {
        for (const [event, count] of Object.entries(counters)) {
          if (typeof count === "number") counter.inc({ room, event }, count);
        }
      }),
    );
  }

  #gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void): void {
    const collect = function (this: Gauge): void {
      // Removes the labels of closed rooms.
      this.reset();
      read(this);
    };
    this.registry.registerMetric(
      new Gauge({ name: PREFIX + name, help, labelNames, registers: [], collect }),
    );
  }

  /** Adds a counter. Each report replaces the last one, since the relay keeps the counts. */
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
