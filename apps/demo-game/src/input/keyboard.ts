import type { DriveInput } from "../car/car-state.js";
import type { InputSource } from "./drive-command.js";

/** Codes of physical keys: WASD is at the same place on every layout. */
const STEER_LEFT = ["ArrowLeft", "KeyA"];
const STEER_RIGHT = ["ArrowRight", "KeyD"];
const GO = ["ArrowUp", "KeyW"];
const BRAKE = ["ArrowDown", "KeyS"];
const HANDBRAKE = ["Space"];
const DRIVING = new Set([...STEER_LEFT, ...STEER_RIGHT, ...GO, ...BRAKE, ...HANDBRAKE]);

/** Called once per press with the code of a key that is not for driving. Returns true if it used the key. */
export type ShortcutHandler = (code: string) => boolean;

export class Keyboard implements InputSource {
  readonly #held = new Set<string>();
  /** Keys pressed since the last {@link read}: a tap may be shorter than a frame. */
  readonly #tapped = new Set<string>();

  constructor(target: Window, onShortcut: ShortcutHandler) {
    target.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (DRIVING.has(event.code)) {
        this.#held.add(event.code);
        this.#tapped.add(event.code);
        // The browser would scroll the page or press the focused button.
        event.preventDefault();
      } else if (!event.repeat && onShortcut(event.code)) {
        event.preventDefault();
      }
    });
    target.addEventListener("keyup", (event) => this.#held.delete(event.code));
    // The browser does not report keys that are released while the page has no focus.
    target.addEventListener("blur", () => this.#release());
    target.document.addEventListener("visibilitychange", () => this.#release());
    target.document.addEventListener("focusin", (event) => {
      if (isTyping(event.target)) this.#release();
    });
  }

  read(): DriveInput | undefined {
    const pressed = new Set([...this.#held, ...this.#tapped]);
    this.#tapped.clear();
    if (pressed.size === 0) return undefined;
    const any = (codes: readonly string[]): number => (codes.some((code) => pressed.has(code)) ? 1 : 0);
    return {
      steer: any(STEER_RIGHT) - any(STEER_LEFT),
      throttle: any(GO) - any(BRAKE),
      handbrake: any(HANDBRAKE) === 1,
    };
  }

  #release(): void {
    this.#held.clear();
    this.#tapped.clear();
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]");
}
