/**
 * The rooms as an adapter for peerbench, an external comparison: bundle it with `pnpm bench --room-adapter
 * FILE`.
 */
import { defineArena } from "../room/systems/arena.js";
import { PRECISION, joinArena } from "../room/systems/paceline.js";
import type { RoomSystem, SeenState } from "../room/system.js";
import { countSockets, traffic } from "../room/traffic.js";
import type { Car } from "../room/world.js";

interface Entity {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly yaw: number;
  readonly vx: number;
  readonly vy: number;
  readonly seq: number;
}
interface World {
  readonly tick: number;
  readonly e: readonly Entity[];
  input(index: number, seq: number): void;
}
interface View {
  readonly t: number;
  readonly tick: number;
  readonly count: number;
  get(index: number): Entity | undefined;
}
interface ClientOptions {
  readonly i: number;
  readonly port: number;
  readonly n: number;
  readonly onState: (view: View) => void;
}

function carOf({ id, seq, ...state }: Entity): Car {
  return { index: id, lastInput: seq, ...state };
}

function entityOf({ index, lastInput, ...state }: Car): Entity {
  return { id: index, seq: lastInput, ...state };
}

function viewOf(state: SeenState): View {
  const get = (index: number): Entity | undefined => {
    const car = state.car(index);
    return car && entityOf(car);
  };
  return { t: state.sentMs, tick: state.tick, count: state.count, get };
}

/** Reports the bytes of sockets and data channels; the harness can count only sockets. */
function countForHarness(): void {
  countSockets();
  const counters = {
    get rx() {
      const { tcpIn, channelIn } = traffic();
      return tcpIn + channelIn;
    },
    get tx() {
      const { tcpOut, channelOut } = traffic();
      return tcpOut + channelOut;
    },
  };
  Object.assign(globalThis, { __udpCounters: counters });
}

function adapterFor(link: RoomSystem["link"]) {
  const { positionM: pos, velocityMps: vel } = PRECISION.tolerance;
  return {
    version: `0.1.0 (${PRECISION.precision})`,
    tol: { pos, vel },
    /** The room has its own loop, like every room, and shows the harness's world of that moment. */
    async server({ port, world }: { readonly port: number; readonly world: World }) {
      const shown = {
        get tick() {
          return world.tick;
        },
        get cars() {
          return world.e.map(carOf);
        },
        input: (index: number, seq: number) => world.input(index, seq),
      };
      await defineArena({ world: shown, hasWebRtc: link === "webrtc" }).listen(port);
      return { tick: () => undefined };
    },
    async client({ i, port, n, onState }: ClientOptions) {
      if (link === "webrtc") countForHarness();
      const { sendInput } = await joinArena(link, {
        port,
        index: i,
        players: n,
        onState: (state) => onState(viewOf(state)),
      });
      return { sendInput, close: () => undefined };
    },
  };
}

export default { paceline: adapterFor("websocket"), "paceline-webrtc": adapterFor("webrtc") };
