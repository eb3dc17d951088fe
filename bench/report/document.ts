/** docs/performance.md with its plots, from the figures of one run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LedgerResult, renderSettling } from '../ledger/section.ts';
import { PARTS } from '../plan.ts';
import { scenarios } from '../scenario.ts';
import { renderGoals } from './goals.ts';
import { type Plot, plotsOf } from './plots.ts';
import {
  cellsOfPart,
  renderBooks,
  renderFailures,
  renderFurther,
  renderScenarios,
  renderTargets,
} from './report.ts';
import { linesOf, type Run } from './result.ts';
import { renderSoak, type SoakResult, soakPlot } from './soak.ts';

const TEMPLATE = join(import.meta.dirname, 'performance-page.txt');

/** Results of other programs, for the same page. */
export interface Beside {
  readonly soak?: SoakResult | undefined;
  readonly ledger?: LedgerResult | undefined;
}

/** Answers the files it wrote. */
export function writeDocument(run: Run, docs: string, beside: Beside = {}): readonly string[] {
  const { soak } = beside;
  const images = join(docs, 'images');
  mkdirSync(images, { recursive: true });
  const plots = plotsOf(run);
  const drawn = soak === undefined ? plots : [...plots, soakPlot(soak)];
  for (const { file, svg } of drawn) writeFileSync(join(images, file), svg);
  const page = join(docs, 'performance.md');
  writeFileSync(page, renderDocument(run, plots, readFileSync(TEMPLATE, 'utf8'), beside));
  return [page, ...drawn.map(({ file }) => join(images, file))];
}

/** Names in double braces in the template stand for what the run says. */
export function renderDocument(
  run: Run,
  plots: readonly Plot[],
  template: string,
  { soak, ledger }: Beside = {},
): string {
  const images = plots.map(imageOf).join('\n\n');
  const machine = Object.entries(run.machine).map(([name, value]) => `| ${name} | ${value} |`);
  const parts: Readonly<Record<string, string>> = {
    date: run.startedAt.slice(0, 10),
    minutes: String(Math.max(1, Math.round(run.durationS / 60))),
    machine: ['| | |', '|---|---|', ...machine].join('\n'),
    targets: renderTargets(run),
    plots: images,
    goals: renderGoals(run).replace(/^## Goals\n+/, ''),
    missing: describeMissing(run),
    traffic: renderScenarios(linesOf(cellsOfPart(run, 'traffic')))
      .map(lower)
      .join('\n\n'),
    further: renderFurther(run).map(lower).join('\n\n'),
    books: lower(renderBooks(run.cells)),
    soak: soak === undefined ? 'No run is kept yet.' : `${imageOf(soakPlot(soak))}\n\n${renderSoak(soak)}`,
    settling: ledger === undefined ? 'No run is kept yet.' : renderSettling(ledger),
    failures: lower(renderFailures(run.cells)),
  };
  const text = template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`the template asks for "${name}", which nobody makes`);
    return part;
  });
  return `${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

/** What a shorter run leaves out, so that nobody looks for it. */
function describeMissing({ cells, memory, loops }: Run): string {
  const there = new Set<string>(cells.flatMap(({ scenario, part }) => [scenario, part]));
  if (memory.some(({ kind }) => kind === 'streams')) there.add('memory');
  if (loops.length > 0) there.add('loop');
  const known = [...scenarios('full').map(({ name }) => name), ...PARTS];
  const missing = known.filter((name) => !there.has(name));
  if (missing.length === 0) return '';
  return `Not measured in this run: ${missing.map((name) => `\`${name}\``).join(', ')}.`;
}

function imageOf({ file, alt }: Plot): string {
  return `![${alt}](images/${file})`;
}

/** One heading deeper: the template has the chapters. */
function lower(text: string): string {
  return text.replaceAll(/^## /gm, '### ');
}
