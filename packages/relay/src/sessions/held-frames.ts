import type { AdmittedLink } from "../admission/admitted-link.js";

/** Frames that wait for one link. */
export class HeldFrames {
  readonly link: AdmittedLink;
  /** Places in the window, in pairs: from the first to before the second. */
  places: number[] = [];
  isListed = false;
  isPrompt = false;

  constructor(link: AdmittedLink) {
    this.link = link;
  }
}
