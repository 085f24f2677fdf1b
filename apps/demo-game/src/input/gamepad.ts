import type { DriveInput } from "../car/car-state.js";
import type { InputSource } from "./drive-command.js";

const DEAD_ZONE = 0.12;

/**
 * The first standard gamepad: the left stick or the d-pad steers, the triggers drive and brake, A or the
 * right shoulder button is the handbrake.
 */
export class GamepadInput implements InputSource {
  read(): DriveInput | undefined {
    const pad = firstPad();
    if (pad === undefined) return undefined;
    const pressed = (index: number): number => pad.buttons[index]?.value ?? 0;
    const stick = pad.axes[0] ?? 0;
    const beyond = Math.max(0, Math.abs(stick) - DEAD_ZONE) / (1 - DEAD_ZONE);
    // Squared, for fine control near the middle.
    const analog = Math.sign(stick) * beyond * beyond;
    const digital = pressed(15) - pressed(14);
    return {
      steer: Math.abs(digital) > Math.abs(analog) ? digital : analog,
      throttle: pressed(7) - pressed(6),
      handbrake: pressed(0) > 0.5 || pressed(5) > 0.5,
    };
  }
}

function firstPad(): Gamepad | undefined {
  // Absent in some embedded browsers, and forbidden by some permission policies.
  if (typeof navigator.getGamepads !== "function") return undefined;
  try {
    return (
      navigator.getGamepads().find((pad) => pad !== null && pad.connected && pad.mapping === "standard") ??
      undefined
    );
  } catch {
    return undefined;
  }
}
