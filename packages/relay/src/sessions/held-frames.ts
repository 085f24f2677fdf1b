import type { AdmittedLink } from "../admission/admitted-link.js";

/** Frames that wait for one link. */
export class HeldFrames {
  readonly link: AdmittedLink;
  /** Places in the window, in pairs: the first, and the one after the last. */
  places: number[] = [];
  isListed = false;
  isPrompt = false;

  constructor(link: AdmittedLink) {
    this.link = link;
  }
}
