/** What a client's official SDK made of an answer, in the words of the client's protocol. */
export interface Seen {
  readonly choices: readonly SeenChoice[];
  readonly usage: SeenUsage | undefined;
}

export interface SeenChoice {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly SeenCall[];
  readonly finish: string;
}

export interface SeenCall {
  readonly name: string;
  readonly id: string;
  readonly input: unknown;
}

/** The figures under the names of the client's protocol; what is not there is not listed. */
export type SeenUsage = Readonly<Record<string, number>>;

/** The figures that are there, and only those. */
export function figures(named: Readonly<Record<string, number | null | undefined>>): SeenUsage {
  const there = Object.entries(named).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(there) as SeenUsage;
}
