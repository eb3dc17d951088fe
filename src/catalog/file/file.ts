import type { CatalogFile, CatalogFileResult, KnownCatalog, StoredCatalog } from '../document.ts';
import type { Extent } from '../edit.ts';
import { checkReferences } from '../references.ts';
import { overlayFile } from './overlay.ts';
import { Problems } from './problems.ts';
import { catalogShape } from './shape.ts';
import { type Environment, readTree } from './yaml-tree.ts';

const NOTHING_KNOWN: KnownCatalog = {
  vendors: new Map(),
  credentials: new Map(),
  models: new Map(),
  policies: new Map(),
  plans: new Map(),
};

/**
 * Reads a catalogue file: `${ENV_NAME}` replaced, every value checked, every reference resolved. The answer
 * is a document without any doubt in it, or all of its problems. Entries of a part are complete: fields that
 * the file does not name have their stored values (rule I-83).
 */
export function parseCatalog(
  text: string,
  environment: Environment,
  stored?: StoredCatalog,
  extent: Extent = 'part',
): CatalogFileResult {
  const problems = new Problems();
  const tree = readTree(text, environment, problems);
  if (tree === undefined) return { kind: 'invalid', problems: problems.list() };
  // An empty file is valid and mentions nothing.
  const isEmpty = tree.kind === 'scalar' && tree.value === null && !problems.found;
  const written = isEmpty ? ({ kind: 'map', line: 1, entries: new Map() } as const) : tree;
  const isLaid = stored !== undefined && written.kind === 'map';
  const root = isLaid ? overlayFile(written, stored, extent) : written;
  const document = catalogShape({ tree: root, path: '', problems });
  const known = stored ?? NOTHING_KNOWN;
  checkReferences({
    document,
    tree: written,
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
