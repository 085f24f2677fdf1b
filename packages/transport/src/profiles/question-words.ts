import type { Inputs } from "./bands.js";

/** A row's answer for people, and why. */
interface Words {
  readonly choice: string;
  readonly reason: string;
}

interface RowWords extends Words {
  /** In their place while that input is unknown: the row answers then, too. */
  readonly unknown?: Words & { readonly input: keyof Inputs };
}

/** A question of the tree in words, with those of its rows by their ids. */
export interface QuestionWords {
  /** The question's id. */
  readonly question: string;
  readonly ask: string;
  readonly rows: Readonly<Record<string, RowWords>>;
}
