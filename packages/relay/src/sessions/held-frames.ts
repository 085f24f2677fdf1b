import type { GuardedLink } from "../admission/guarded-link.js";

/** Frames that wait for one link. */
export class HeldFrames {
  readonly link: GuardedLink;
  /** Places in the window, in pairs: from the first to before the second. */
  places: number[] = [];
  isListed = false;
  isPrompt = false;

  constructor(link: GuardedLink) {
    this.link = link;
  }
}
