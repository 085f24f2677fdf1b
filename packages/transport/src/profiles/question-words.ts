import type { Inputs } from "./bands.js";

interface Words {
  readonly choice: string;
  readonly reason: string;
}

interface RowWords extends Words {
  /** Replaces the words while that input is unknown: the row answers then too. */
  readonly unknown?: Words & { readonly input: keyof Inputs };
}

/** Words of a question of the tree, with those of its rows by their ids. */
export interface QuestionWords {
  readonly question: string;
  readonly ask: string;
  readonly rows: Readonly<Record<string, RowWords>>;
}
