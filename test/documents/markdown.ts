import type { SourceFile } from '../house/tree.ts';

/** What the documents of the project consist of, as far as tests compare it with the code. */

/** A block between two lines of three backticks. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^ *```/gm;

export function fencesOf({ text }: SourceFile): readonly Fence[] {
  return [...text.matchAll(FENCE)].map(([, , language = '', block = '']) => ({ language, text: block }));
}

/** The text without its fenced blocks. */
export function proseOf({ text }: SourceFile): string {
  return text.replace(FENCE, '');
}

/** Code within the prose. A span may continue on the next line. */
export function spansOf(document: SourceFile): readonly string[] {
  return [...proseOf(document).matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
    span.replace(/\s+/g, ' ').trim(),
  );
}

/** The prose in one line, so that a phrase is found wherever its lines break. */
export function phrasesOf(document: SourceFile): string {
  return proseOf(document).replace(/\s+/g, ' ');
}

/** Targets of links and pictures. */
export function linksOf(document: SourceFile): readonly string[] {
  return [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors of a page, as GitHub makes them from its headings. */
export function anchorsOf(document: SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of proseOf(document).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = anchor;
    for (let count = 1; found.has(name); count++) name = `${anchor}-${count}`;
    found.add(name);
  }
  return found;
}
