import type { SeenState } from "./system.js";
import { machineMs, type Car, type World } from "./world.js";

const HEAD_BYTES = 12;
const CAR_BYTES = 24;
const INPUT_BYTES = 16;

/** Writes the whole world as 32-bit floats, like a hand-written protocol. */
export function writeFloatState({ tick, cars }: World): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + CAR_BYTES * cars.length);
  bytes.writeDoubleLE(machineMs(), 0);
  bytes.writeUInt32LE(tick, 8);
  let at = HEAD_BYTES;
  for (const car of cars) {
    bytes.writeUInt16LE(car.index, at);
    bytes.writeUInt16LE(car.lastInput, at + 2);
    bytes.writeFloatLE(car.x, at + 4);
    bytes.writeFloatLE(car.y, at + 8);
    bytes.writeFloatLE(car.yaw, at + 12);
    bytes.writeFloatLE(car.vx, at + 16);
    bytes.writeFloatLE(car.vy, at + 20);
    at += CAR_BYTES;
  }
  return bytes;
}

/** Returns a reader for {@link writeFloatState}; it reuses its objects. */
export function floatStateReader(players: number): (bytes: Buffer) => SeenState {
  const cars = Array.from({ length: players }, (_, index): { -readonly [K in keyof Car]: Car[K] } => {
    return { index, x: 0, y: 0, yaw: 0, vx: 0, vy: 0, lastInput: 0 };
  });
  return (bytes) => {
    const count = (bytes.byteLength - HEAD_BYTES) / CAR_BYTES;
    let at = HEAD_BYTES;
    for (let index = 0; index < count; index++, at += CAR_BYTES) {
      const car = cars[index]!;
      car.index = bytes.readUInt16LE(at);
      car.lastInput = bytes.readUInt16LE(at + 2);
      car.x = bytes.readFloatLE(at + 4);
      car.y = bytes.readFloatLE(at + 8);
      car.yaw = bytes.readFloatLE(at + 12);
      car.vx = bytes.readFloatLE(at + 16);
      car.vy = bytes.readFloatLE(at + 20);
    }
    return {
      sentMs: bytes.readDoubleLE(0),
      tick: bytes.readUInt32LE(8),
      count,
      car: (index) => cars[index],
    };
  };
}

/** Writes an input of 16 bytes, with the player's index for connections that do not identify the player. */
export function writeInput(number: number, index: number): Buffer {
  const bytes = Buffer.alloc(INPUT_BYTES);
  bytes.writeUInt32LE(number, 0);
  bytes.writeInt8(-127, 4);
  bytes.writeInt8(127, 5);
  bytes.writeUInt16LE(index, 6);
  bytes.writeFloatLE(1.25, 8);
  bytes.writeFloatLE(2.5, 12);
  return bytes;
}

export function readInput(bytes: Buffer): { readonly number: number; readonly index: number } {
  return { number: bytes.readUInt32LE(0), index: bytes.readUInt16LE(6) };
}
