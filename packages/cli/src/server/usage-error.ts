/** A mistake in the command line, the environment or the configuration file. The message is for the user. */
export class UsageError extends Error {}
