import path from "node:path";

const NAME = path.join("apps", "lab");
const here = import.meta.dirname;

/** The laboratory's folder, whether this file runs from source, from `dist`, or in a bundle there. */
export const LAB = here.slice(0, here.lastIndexOf(NAME) + NAME.length);

/** The repository's folder. */
export const ROOT = path.resolve(LAB, "../..");
