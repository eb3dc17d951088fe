/** A test that must fail when the bug is planted: its file, and what its name begins or is made of. */
export interface Catcher {
  readonly file: string;
  /** Nothing: the whole file. */
  readonly name?: string;
}

/** A bug as somebody might really write it: one piece of source text, and what stands there instead. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** The smallest test that sees it. */
  readonly catcher: Catcher;
}
