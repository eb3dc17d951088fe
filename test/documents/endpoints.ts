import { findEndpoint } from '../../src/gateway/endpoints/find.ts';
import { SURFACES } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { createRouter } from '../../src/platform/http/router.ts';
import type { SourceFile, Tree } from '../house/tree.ts';
import { fencesOf, spansOf } from './markdown.ts';

/** Paths of the gateway and of the platform, and what serves them. */

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const SPAN = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(\/(?:v\d|v1beta|api\/v1)\/\S*[^\s/])$/;
const URL_OF_CURL = /127\.0\.0\.1:8080(\/[^\s'"]+)/g;
/** Bases of paths, and what documents name because it is not served. */
const NO_PATHS: ReadonlySet<string> = new Set([
  '/v1/realtime',
  '/v1/v1beta',
  '/v1beta/openai',
  ...Object.values(SURFACES),
]);

const route = createRouter(OPERATIONS);

/** Paths in code and in curl lines of documents that nothing serves, by the method if one is named. */
export function unservedPaths(documents: Tree): readonly string[] {
  return documents.flatMap((document) =>
    pathsOf(document)
      .filter(([, path]) => !NO_PATHS.has(path))
      .filter(
        ([method, path]) => !(method === undefined ? METHODS : [method]).some((one) => isServed(one, path)),
      )
      .map(([method, path]) => `${document.path}: ${[method, path].filter(Boolean).join(' ')}`),
  );
}

export function pathsOf(document: SourceFile): readonly (readonly [string | undefined, string])[] {
  const spans = spansOf(document).flatMap((span) => {
    const [, method, path] = SPAN.exec(span) ?? [];
    return path === undefined ? [] : [[method, path] as const];
  });
  const curls = fencesOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) =>
      [...text.matchAll(URL_OF_CURL)].map(([, path = '']) => [undefined, path] as const),
    );
  return [...spans, ...curls];
}

function isServed(method: string, path: string): boolean {
  const plain = path.replace(/\{\w+\}|(?<=\/):\w+/g, 'x');
  if (path.startsWith('/api/')) return route(method, plain).kind === 'row';
  const { kind } = findEndpoint(method, plain);
  return kind !== 'no-endpoint' && kind !== 'method-not-allowed';
}
