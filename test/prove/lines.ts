/** A line that a proof printed: `proof | name | size | result`. */
export interface Line {
  readonly name: string;
  readonly size: string;
  readonly result: string;
}

export function readLines(output: string): readonly Line[] {
  return output.split('\n').flatMap((text) => {
    const parts = /^\s*proof \| ([^|]+) \| ([^|]+) \| (.+)$/.exec(text);
    if (parts === null) return [];
    const [, name = '', size = '', result = ''] = parts;
    return [{ name: name.trim(), size: size.trim(), result: result.trim() }];
  });
}

/** The runner's own last words: `Tests  3 failed | 1350 passed (1353)`. */
export function countTests(output: string): readonly Line[] {
  const [, result, size] = /^\s*Tests\s+(.*) \((\d+)\)$/m.exec(output) ?? [];
  return result === undefined ? [] : [{ name: 'tests', size: `${size} tests`, result }];
}

/** What became of one proof. */
export interface Verdict {
  readonly proof: string;
  /** `silent`: it passed and said nothing, so nobody knows what it proved. */
  readonly outcome: 'proved' | 'failed' | 'late' | 'silent';
  readonly seconds: number;
  readonly lines: readonly Line[];
}

/** For documents as well as for terminals. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.flatMap(({ proof, outcome, seconds, lines }) => {
    const first = `| ${proof} | ${outcome} | ${seconds} s |`;
    if (lines.length === 0) return [`${first} | | |`];
    return lines.map(
      ({ name, size, result }, index) => `${index === 0 ? first : '| | | |'} ${name} | ${size} | ${result} |`,
    );
  });
  return ['| Proof | Outcome | Time | Part | Size | Result |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
