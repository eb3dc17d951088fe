import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SourceFile, Tree } from '../house/tree.ts';
import { anchorsOf, linksOf, spansOf } from './markdown.ts';

/** Whether a file or folder is in the repository. */
export type Exists = (path: string) => boolean;

export const existsBelow =
  (root: string): Exists =>
  (path) =>
    existsSync(join(root, path));

/** Names a document of the repository, with or without an anchor: alerts and messages do. */
const NAMED = /\b((?:docs\/[\w./-]+|README|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG)\.md)(#[\w-]+)?/g;
/** A path of the repository as code, for example `src/bounds.ts`. */
const PATH = /^(?:src|test|docs|deploy|bench|console|sim|release)\/[\w./-]*\w\/?$/;

/** Links of documents whose file or anchor is missing. */
export function brokenLinks(documents: Tree, exists: Exists): readonly string[] {
  const anchors = new Map(documents.map((document) => [document.path, anchorsOf(document)]));
  return documents.flatMap((document) =>
    linksOf(document)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? document.path : posix.join(posix.dirname(document.path), file);
        return !isThere({ target, anchor }, { anchors, exists });
      })
      .map((link) => `${document.path} → ${link}`),
  );
}

/** Documents that alerts, messages and comments name, and that are missing or lack the anchor. */
export function brokenMentions(files: Tree, documents: Tree, exists: Exists): readonly string[] {
  const anchors = new Map(documents.map((document) => [document.path, anchorsOf(document)]));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED)]
      .filter(
        ([, target = '', anchor]) => !isThere({ target, anchor: anchor?.slice(1) }, { anchors, exists }),
      )
      .map(([mention]) => `${path} → ${mention}`),
  );
}

/** Files and folders that documents name as code and that are missing. */
export function missingPaths(documents: readonly SourceFile[], exists: Exists): readonly string[] {
  return documents.flatMap((document) =>
    spansOf(document)
      .filter((span) => PATH.test(span) && !exists(span))
      .map((span) => `${document.path} → ${span}`),
  );
}

function isThere(
  { target, anchor }: { readonly target: string; readonly anchor: string | undefined },
  { anchors, exists }: { anchors: ReadonlyMap<string, ReadonlySet<string>>; exists: Exists },
): boolean {
  if (anchor === undefined) return exists(target);
  return anchors.get(target)?.has(anchor) ?? false;
}
