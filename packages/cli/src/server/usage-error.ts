/** A mistake in the command line or the environment: the message is for whoever typed it. */
export class UsageError extends Error {}
