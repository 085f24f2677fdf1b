/** Counts how many levels of scripts a page loads one after the other. */

/**
 * Holds the answers to script requests, and gives those of one round at once. A round contains every request
 * that arrives before an answer of that round is given, so a script that another one imports is a round later,
 * and scripts that load side by side are in the same round, however slow the machine is.
 */
export class ScriptRounds {
  /** Scripts by round. @type {{ scripts: string[], answeredAtMs: number }[]} answeredAtMs: by Date.now() */
  rounds = [];
  #quietMs;
  /** @type {{ script: string, answer: () => void }[]} */
  #held = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {number} quietMs time without a request after which a round's answers are given, ms */
  constructor(quietMs) {
    this.#quietMs = quietMs;
  }

  /** @param {string} script @returns {Promise<void>} resolves when its round's answers are given */
  admit(script) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#answerAll(), this.#quietMs);
    return new Promise((resolve) => this.#held.push({ script, answer: resolve }));
  }

  /**
   * @param {number} momentMs by Date.now()
   * @returns {string[][]} the rounds whose answers were given before this moment; what was reached then needed no others
   */
  before(momentMs) {
    return this.rounds.filter(({ answeredAtMs }) => answeredAtMs < momentMs).map(({ scripts }) => scripts);
  }

  #answerAll() {
    const held = this.#held.splice(0);
    this.rounds.push({ scripts: held.map(({ script }) => script), answeredAtMs: Date.now() });
    for (const { answer } of held) answer();
  }
}
