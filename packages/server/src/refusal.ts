/** Thrown by `onAuth` or `onJoin` to keep somebody out: the message is told to the player. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
