let isMotionUsed = false;

/** Returns true once an entity with a motion was described. Without one, a client needs no code that moves it. */
export function usesMotion(): boolean {
  return isMotionUsed;
}

/** Records that an entity with a motion was described. */
export function noteMotion(): void {
  isMotionUsed = true;
}
