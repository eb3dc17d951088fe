import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../house/tree.ts';
import type { Scenario } from './cell.ts';
import { UPSTREAMS } from './upstream.ts';

/** What the run of one client found. */
export interface Section {
  readonly client: string;
  readonly scenarios: readonly Scenario[];
  /** Of these scenarios, those of this client alone. */
  readonly own: readonly Scenario[];
  /** By scenario and upstream: `passed`, or why the cell cannot be. A cell that is missing failed. */
  readonly found: ReadonlyMap<string, string>;
}

const documentPath = join(projectRoot, 'docs', 'protocols.md');

/** `npm run protocols` sets it; an ordinary run only compares. */
export function writesDocuments(): boolean {
  return process.env.TOLLGATE_WRITE_DOCS === '1';
}

/** What the document says between the marks of this name; with `npm run protocols`, from now on. */
export function settlePlace(name: string, text: string): string {
  const place = placeOf(name);
  if (!writesDocuments()) return place.text.slice(place.start, place.end);
  writeFileSync(documentPath, place.text.slice(0, place.start) + text + place.text.slice(place.end));
  return text;
}

function placeOf(name: string): { readonly start: number; readonly end: number; readonly text: string } {
  const text = readFileSync(documentPath, 'utf8');
  const opening = `<!-- matrix ${name} -->\n`;
  const at = text.indexOf(opening);
  const start = at + opening.length;
  const end = text.indexOf('<!-- /matrix -->', start);
  if (at < 0 || end < 0) throw new Error(`docs/protocols.md has no place for ${name}`);
  return { start, end, text };
}

export function sectionText({ client, scenarios, own, found }: Section): string {
  const notes: string[] = [];
  const cell = (scenario: string, upstream: string): string => {
    const result = found.get(`${scenario} ${upstream}`);
    if (result === 'passed') return '✓';
    if (result === undefined) return '✗';
    if (!notes.includes(result)) notes.push(result);
    return `– ${notes.indexOf(result) + 1}`;
  };
  const rows = scenarios.map(
    ({ name }) => `| ${name} | ${UPSTREAMS.map((upstream) => cell(name, upstream)).join(' | ')} |`,
  );
  return [
    `### ${client}`,
    '',
    '| | Chat Completions | Responses | Messages | generateContent |',
    '|---|:-:|:-:|:-:|:-:|',
    ...rows,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note, index) => `${index + 1}. ${note}`)]),
    ...(own.length === 0 ? [] : ['', ...own.map(({ name, meaning }) => `- *${name}*: ${meaning}`)]),
    '',
  ].join('\n');
}

export function meaningsText(scenarios: readonly Scenario[]): string {
  const rows = scenarios.map(({ name, meaning }) => `| ${name} | ${meaning} |`);
  return ['| Row | What is compared |', '|---|---|', ...rows, ''].join('\n');
}
