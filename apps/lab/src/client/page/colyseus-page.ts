import { watchRoom } from "./watch-room.js";

interface ColyseusState {
  readonly tick: number;
  /** Undefined before the first state. */
  readonly cars?: Iterable<{ readonly x: number; readonly y: number }>;
}
interface ColyseusRoom {
  readonly state: ColyseusState;
  sendBytes(type: string, bytes: Uint8Array): void;
}
/** The used part of the rival's SDK, which a separate script loads. */
interface Sdk {
  readonly Client: new (url: string) => {
    joinOrCreate(name: string, options: object): Promise<ColyseusRoom>;
  };
}

const server = new URLSearchParams(location.search).get("server")!;
const { Client } = (globalThis as unknown as { readonly colyseus: Sdk }).colyseus;
const room = await new Client(server).joinOrCreate("arena", { index: 0 });
/** The input that the players of `pnpm bench room` send. */
const bytes = new Uint8Array(16);
const input = new DataView(bytes.buffer);
input.setInt8(4, -127);
input.setInt8(5, 127);
input.setFloat32(8, 1.25, true);
input.setFloat32(12, 2.5, true);
const cars = () => room.state.cars ?? [];

watchRoom({
  readings: {
    newest: () => {
      let sum = 0;
      for (const { x, y } of cars()) sum += x + y;
      return sum;
    },
  },
  sendInput: (number) => {
    input.setUint32(0, number, true);
    room.sendBytes("input", bytes);
  },
  tick: () => room.state.tick,
  positions: () => [...cars()].map(({ x, y }) => [x, y]),
});
