import { wrapAngle } from "../car/angle.js";

export type CameraMode = "chase" | "north-up";

/** The car that the camera follows, as drawn in this frame. */
export interface CameraTarget {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly velocityX: number;
  readonly velocityY: number;
}

/**
 * Maps the world to the screen: (x, y) is drawn at the anchor, given as shares of the width and the height.
 */
export interface Camera {
  x: number;
  y: number;
  /** Clockwise rotation of the world on the screen. */
  rotationRad: number;
  pixelsPerM: number;
  anchorX: number;
  anchorY: number;
}

/**
 * Share of the remaining distance to cover in one frame, so that the motion does not depend on the frame
 * rate.
 */
const ease = (perSecond: number, seconds: number): number => 1 - Math.exp(-perSecond * seconds);

/** Follows a car: behind it with its nose upwards, or from above with north upwards. */
export class CameraRig {
  readonly camera: Camera = { x: 0, y: 0, rotationRad: 0, pixelsPerM: 10, anchorX: 0.5, anchorY: 0.5 };
  mode: CameraMode = wantsLittleMotion() ? "north-up" : "chase";
  /** Shares of the screen that something covers at the right and at the bottom: the camera uses the rest. */
  covered: { readonly right: number; readonly bottom: number } = { right: 0, bottom: 0 };
  #isPlaced = false;
  #headingRad = 0;
  #lookX = 0;
  #lookY = 0;
  #speedMps = 0;
  #shakeM = 0;

  toggle(): void {
    this.mode = this.mode === "chase" ? "north-up" : "chase";
  }

  /** Makes the next frame jump to its target. */
  cut(): void {
    this.#isPlaced = false;
  }

  shake(strengthM: number): void {
    if (wantsLittleMotion()) return;
    this.#shakeM = Math.min(0.6, Math.max(this.#shakeM, strengthM));
  }

  update(target: CameraTarget, viewWidth: number, viewHeight: number, seconds: number): void {
    const speed = Math.hypot(target.velocityX, target.velocityY);
    if (!this.#isPlaced) this.#place(target, speed);
    this.#speedMps += (speed - this.#speedMps) * ease(1.8, seconds);
    // Between the heading and the direction of travel: in a drift the car turns on the screen, not the world.
    const travelRad = speed > 6 ? Math.atan2(target.velocityY, target.velocityX) : target.headingRad;
    const drift = wrapAngle(travelRad - target.headingRad);
    const wanted = target.headingRad + (Math.abs(drift) < 1.6 ? drift * 0.55 : 0);
    this.#headingRad = wrapAngle(
      this.#headingRad + wrapAngle(wanted - this.#headingRad) * ease(this.mode === "chase" ? 6 : 12, seconds),
    );
    this.#lookX += (target.velocityX - this.#lookX) * ease(3, seconds);
    this.#lookY += (target.velocityY - this.#lookY) * ease(3, seconds);
    this.#shakeM *= 1 - ease(9, seconds);
    const fast = Math.min(1, this.#speedMps / 45);
    const [freeX, freeY] = [1 - this.covered.right, 1 - this.covered.bottom];
    if (this.mode === "chase") this.#chase(target, viewWidth * freeX, viewHeight * freeY, fast);
    else this.#northUp(target, viewWidth * freeX, viewHeight * freeY, fast);
    this.camera.anchorX *= freeX;
    this.camera.anchorY *= freeY;
  }

  /** Returns true if a point of the world lies in the part of the screen that nothing covers. */
  shows(view: { readonly width: number; readonly height: number }, x: number, y: number): boolean {
    const at = toScreen(this.camera, view, x, y);
    const [right, bottom] = [view.width * (1 - this.covered.right), view.height * (1 - this.covered.bottom)];
    return at.x >= 0 && at.x <= right && at.y >= 0 && at.y <= bottom;
  }

  #place(target: CameraTarget, speed: number): void {
    this.#isPlaced = true;
    this.#headingRad = target.headingRad;
    this.#lookX = target.velocityX;
    this.#lookY = target.velocityY;
    this.#speedMps = speed;
  }

  #chase(target: CameraTarget, viewWidth: number, viewHeight: number, fast: number): void {
    const { camera } = this;
    const jitter = this.#shakeM * Math.sin(target.x * 97 + target.y * 89);
    camera.x = target.x + this.#lookX * 0.05 + jitter;
    camera.y = target.y + this.#lookY * 0.05 + jitter;
    camera.rotationRad = -Math.PI / 2 - this.#headingRad;
    camera.anchorX = 0.5;
    camera.anchorY = viewHeight > viewWidth ? 0.62 : 0.74;
    // Metres that fit into the screen's height; a screen higher than wide shows more, so that the road fits.
    const heightM = 54 + 38 * fast;
    camera.pixelsPerM = Math.max(viewHeight / heightM, 0) * (viewHeight > viewWidth ? 0.82 : 1);
  }

  #northUp(target: CameraTarget, viewWidth: number, viewHeight: number, fast: number): void {
    const { camera } = this;
    camera.x = target.x + this.#lookX * 0.62;
    camera.y = target.y + this.#lookY * 0.62;
    camera.rotationRad = 0;
    camera.anchorX = 0.5;
    camera.anchorY = 0.5;
    camera.pixelsPerM = Math.min(viewWidth, viewHeight) / (78 + 22 * fast);
  }
}

/** True if the player has asked the system for less motion. */
function wantsLittleMotion(): boolean {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

export function applyCamera(
  context: CanvasRenderingContext2D,
  camera: Camera,
  viewWidth: number,
  viewHeight: number,
): void {
  context.translate(viewWidth * camera.anchorX, viewHeight * camera.anchorY);
  context.rotate(camera.rotationRad);
  context.scale(camera.pixelsPerM, camera.pixelsPerM);
  context.translate(-camera.x, -camera.y);
}

/** Converts world metres to screen pixels, for what is drawn upright. */
export function toScreen(
  camera: Camera,
  view: { readonly width: number; readonly height: number },
  x: number,
  y: number,
): { x: number; y: number } {
  const cos = Math.cos(camera.rotationRad) * camera.pixelsPerM;
  const sin = Math.sin(camera.rotationRad) * camera.pixelsPerM;
  const dx = x - camera.x;
  const dy = y - camera.y;
  return {
    x: view.width * camera.anchorX + dx * cos - dy * sin,
    y: view.height * camera.anchorY + dx * sin + dy * cos,
  };
}

/** A circle in the world that contains all that the screen shows. */
export interface ViewCircle {
  readonly x: number;
  readonly y: number;
  readonly radiusM: number;
}

export function viewCircle(camera: Camera, viewWidth: number, viewHeight: number): ViewCircle {
  const offX = (0.5 - camera.anchorX) * viewWidth;
  const offY = (0.5 - camera.anchorY) * viewHeight;
  const cos = Math.cos(-camera.rotationRad);
  const sin = Math.sin(-camera.rotationRad);
  return {
    x: camera.x + (offX * cos - offY * sin) / camera.pixelsPerM,
    y: camera.y + (offX * sin + offY * cos) / camera.pixelsPerM,
    radiusM: Math.hypot(viewWidth, viewHeight) / 2 / camera.pixelsPerM,
  };
}
