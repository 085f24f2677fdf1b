/** Code of this project, without the simulated network. */
const OURS = /\/packages\/(?!testkit\/)[^/]+\/src\/(?!simulated\/|.*\/simulated\/)/;

export interface OwnFrame {
  readonly name: string;
  /** Path below `packages`. */
  readonly file: string;
}

/** Returns the functions of this project on the stack, the innermost first. */
export function ownFrames(): OwnFrame[] {
  const [limit, prepare] = [Error.stackTraceLimit, Error.prepareStackTrace];
  Error.stackTraceLimit = 200;
  Error.prepareStackTrace = (_error, sites) => sites;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  Error.captureStackTrace(holder);
  const sites = holder.stack ?? [];
  [Error.stackTraceLimit, Error.prepareStackTrace] = [limit, prepare];
  return sites
    .filter((site) => OURS.test(fileOf(site)))
    .map((site) => ({ name: site.getFunctionName() ?? "=>", file: fileOf(site).split("/packages/")[1]! }));
}

export function inWords(frames: readonly OwnFrame[]): string[] {
  return frames.map(({ name, file }) => `${name} (${file})`);
}

function fileOf(site: NodeJS.CallSite): string {
  return (site.getFileName() ?? "").replace(/^file:\/\//, "").replace(/\?.*$/, "");
}
