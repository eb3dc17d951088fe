import { BUGS } from './bugs.ts';

export const HEADING = '## Planted bugs';
const LINE = /^\| (.+?) \| `(.+?)` \| (.+?) \|$/gm;

/** The section of docs/ledger.md, from its heading to the next one or the end. */
export function writeTable(
  document: string,
  verdicts: readonly { readonly bug: string; readonly by: string }[],
): string {
  const rows = verdicts.map(({ bug, by }) => {
    const file = BUGS.find(({ name }) => name === bug)?.file ?? '';
    return `| ${bug} | \`${file}\` | ${by.replaceAll('|', '\\|')} |`;
  });
  const section = [
    HEADING,
    'Each is planted alone, in memory, by `node test/sabotage/run.ts`, and the test beside it must fail;',
    '`--write` makes this table. A planted text that is no longer in its file fails loudly.',
    '',
    '| Bug | Planted in | Caught by |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  const start = document.indexOf(`${HEADING}\n`);
  if (start === -1) return `${document.trimEnd()}\n\n${section}`;
  const next = document.indexOf('\n## ', start);
  const rest = next === -1 ? '' : document.slice(next);
  return `${document.slice(0, start)}${section}${rest}`;
}

/** The bugs that the document names. */
export function namesIn(document: string): readonly string[] {
  const start = document.indexOf(`${HEADING}\n`);
  if (start === -1) return [];
  return [...document.slice(start).matchAll(LINE)].map(([, name = '']) => name);
}
