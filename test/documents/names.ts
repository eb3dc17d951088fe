import type { SourceFile, Tree } from '../house/tree.ts';
import { fencesOf, spansOf } from './markdown.ts';

/** Names of things that run: variables of the environment, metrics, alerts. */

const VARIABLE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const METRIC = /\b(?:tollgate|process|nodejs)_[a-z0-9_]*[a-z0-9]\b/g;
const ALERT = /\bTollgate[A-Z][A-Za-z]+\b/g;

/** Names that a pattern finds in the code of documents, and that are not among those that exist. */
export function unknownNames(
  documents: Tree,
  pattern: RegExp,
  isKnown: (name: string) => boolean,
): readonly string[] {
  return documents.flatMap((document) => {
    const code = [...spansOf(document), ...fencesOf(document).map(({ text }) => text)].join('\n');
    const names = new Set([...code.matchAll(pattern)].map(([name]) => name));
    return [...names].filter((name) => !isKnown(name)).map((name) => `${document.path}: ${name}`);
  });
}

export const unknownVariables = (documents: Tree, known: ReadonlySet<string>): readonly string[] =>
  unknownNames(documents, VARIABLE, (name) => known.has(name));

/** A histogram is also named by its parts. */
export const unknownMetrics = (documents: Tree, known: ReadonlySet<string>): readonly string[] =>
  unknownNames(documents, METRIC, (name) => known.has(name.replace(/_(?:bucket|sum|count)$/, '')));

export const unknownAlerts = (documents: Tree, known: ReadonlySet<string>): readonly string[] =>
  unknownNames(documents, ALERT, (name) => known.has(name));

/** Every name of the kind in the text of files. */
export function variablesIn(files: Tree): ReadonlySet<string> {
  return new Set(files.flatMap(({ text }) => [...text.matchAll(VARIABLE)].map(([name]) => name)));
}

/** The metrics that the code of the server names as a text. */
export function metricsOf(files: Tree): ReadonlySet<string> {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/(?:gaugeOf|new \w*(?:Counter|Gauge|Histogram))\(\s*'([a-z0-9_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  return new Set(names);
}

/** The first cells of the rows of a table below a heading. */
export function rowsBelow({ text }: SourceFile, heading: string): readonly string[] {
  const [, section = ''] = text.split(`\n${heading}\n`);
  const [table = ''] = section.split(/^#/m);
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell);
}
