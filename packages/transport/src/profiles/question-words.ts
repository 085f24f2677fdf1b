/** What a row answers, and why, for people. */
interface RowWords {
  readonly choice: string;
  readonly reason: string;
}

/** A question of the tree in words, with those of its rows by their ids. */
export interface QuestionWords {
  /** The question's id. */
  readonly question: string;
  readonly ask: string;
  readonly rows: Readonly<Record<string, RowWords>>;
}
