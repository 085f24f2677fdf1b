import { ConfigError, NetError, type ErrorCode } from "@paceline/protocol";

/** The code of a system error, its meaning, and what helps. */
interface Failure {
  readonly code: ErrorCode;
  readonly cause: string;
  readonly cure: string;
}

const full = (cause: string): Failure => ({
  code: "store/full",
  cause,
  cure: "make room there, or choose another directory; the last save of each room is untouched",
});
const denied = (cause: string): Failure => ({
  code: "store/denied",
  cause,
  cure: "give the user that runs the server the right to write there, or choose another directory",
});

const failures: Readonly<Record<string, Failure>> = {
  ENOSPC: full("the disk is full"),
  EDQUOT: full("the user's share of the disk is used up"),
  EFBIG: full("the file would be larger than the system allows"),
  EACCES: denied("permission is denied"),
  EPERM: denied("the system does not permit it"),
  EROFS: denied("the disk can only be read"),
  ENOENT: {
    code: "store/failed",
    cause: "there is no such file or directory",
    cure: "a server makes its directory when it starts",
  },
  ENOTDIR: { code: "store/failed", cause: "it is not a directory", cure: "choose another directory" },
  EEXIST: { code: "store/failed", cause: "it is not a directory", cure: "choose another directory" },
  EMFILE: {
    code: "store/failed",
    cause: "this process has too many files open",
    cure: "raise its limit (ulimit -n)",
  },
  EIO: { code: "store/failed", cause: "the disk has failed", cure: "look at the system's log" },
};

/** Returns the error of a store: what was tried and where, why it failed, and what helps. */
export function storeFailure(task: string, where: string, error: unknown): Error {
  if (error instanceof NetError || error instanceof ConfigError) return error;
  const known = failures[(error as { readonly code?: string } | undefined)?.code ?? ""];
  const why = error instanceof Error ? error.message : String(error);
  const sentence = known ? `${known.cause}: ${known.cure}` : why;
  const code = known?.code ?? "store/failed";
  return new NetError(code, `cannot ${task} in ${where}: ${sentence}`, { retryable: true, cause: error });
}
