import type { CatalogFile, KnownCatalog } from '../document.ts';
import type { Extent } from '../edit.ts';
import { checkReferences } from '../references.ts';
import { type Problem, Problems } from './problems.ts';
import { catalogShape } from './shape.ts';
import { type Environment, readTree } from './yaml-tree.ts';

export type CatalogFileResult =
  | { readonly kind: 'catalog'; readonly document: CatalogFile }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

const NOTHING_KNOWN: KnownCatalog = {
  vendors: new Map(),
  credentials: new Map(),
  models: new Map(),
  policies: new Map(),
  plans: new Map(),
};

/**
 * Reads a catalogue file: `${ENV_NAME}` replaced, every value checked, every reference resolved. The answer
 * is a document without any doubt in it, or all of its problems.
 */
export function parseCatalog(
  text: string,
  environment: Environment,
  known: KnownCatalog = NOTHING_KNOWN,
  extent: Extent = 'part',
): CatalogFileResult {
  const problems = new Problems();
  const tree = readTree(text, environment, problems);
  if (tree === undefined) return { kind: 'invalid', problems: problems.list() };
  // An empty file is valid and mentions nothing.
  const isEmpty = tree.kind === 'scalar' && tree.value === null && !problems.found;
  const root = isEmpty ? ({ kind: 'map', line: 1, entries: new Map() } as const) : tree;
  const document = catalogShape({ tree: root, path: '', problems });
  checkReferences({
    document,
    tree: root,
    known: extent === 'part' ? known : ownSecrets(document, known),
    problems,
  });
  return problems.found ? { kind: 'invalid', problems: problems.list() } : { kind: 'catalog', document };
}

/** The whole catalogue refers to nothing outside it. Its credentials keep the secrets that it leaves out. */
function ownSecrets({ credentials }: CatalogFile, known: KnownCatalog): KnownCatalog {
  const kept = credentials.flatMap(({ name }) => known.credentials.get(name) ?? []);
  return { ...NOTHING_KNOWN, credentials: new Map(kept.map((each) => [each.name, each])) };
}
