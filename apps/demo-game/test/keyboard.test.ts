import { expect, test, vi } from "vitest";
import { Keyboard } from "../src/input/keyboard.js";

/** A window whose keys the test presses. */
function keys(): { readonly keyboard: Keyboard; press(type: string, code?: string): void } {
  const target = Object.assign(new EventTarget(), { document: new EventTarget() });
  // No target of a key is a field to type in.
  vi.stubGlobal("HTMLElement", Map);
  const keyboard = new Keyboard(target as unknown as Window, () => false);
  const press = (type: string, code = ""): void =>
    void target.dispatchEvent(Object.assign(new Event(type), { code }));
  return { keyboard, press };
}

test("a tap that is shorter than a frame counts in one frame", () => {
  const { keyboard, press } = keys();
  press("keydown", "ArrowRight");
  press("keyup", "ArrowRight");
  expect(keyboard.read()).toEqual({ steer: 1, throttle: 0, handbrake: false });
  expect(keyboard.read()).toBeUndefined();
  vi.unstubAllGlobals();
});

test("a held key counts until it is released, or the window loses the keyboard", () => {
  const { keyboard, press } = keys();
  press("keydown", "KeyW");
  expect([keyboard.read()?.throttle, keyboard.read()?.throttle]).toEqual([1, 1]);
  press("keyup", "KeyW");
  expect(keyboard.read()).toBeUndefined();
  press("keydown", "Space");
  press("blur");
  expect(keyboard.read()).toBeUndefined();
  vi.unstubAllGlobals();
});
