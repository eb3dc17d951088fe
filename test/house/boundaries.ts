import { type Import, importsOf, packageOf } from './imports.ts';
import { DYNAMIC, LAYERS, type Layer, PACKAGES, PRIVATE, PURE, STRANGERS } from './layers.ts';
import { codeFiles, isTest, type Tree } from './tree.ts';
import type { Violation } from './violation.ts';

/** Every import that breaks a rule of layers.ts, and every cycle. */
export function checkBoundaries(tree: Tree): readonly Violation[] {
  const files = codeFiles(tree);
  const imports = files.flatMap((file) => importsOf(file));
  const known = new Set(files.map((file) => file.path));
  return [
    ...imports.flatMap((item) => checkImport(item, known)),
    ...files
      .filter((file) => !isTest(file.path) && layerOf(file.path) === undefined)
      .map((file) => homeless(file.path)),
    ...findCycles(imports),
  ];
}

function checkImport(item: Import, known: ReadonlySet<string>): readonly Violation[] {
  const { target } = item;
  if (target === undefined) return checkPackage(item);
  // The version has one home, the manifest, and data is no layer.
  if (target === 'package.json') return [];
  // Styles are no code, and generated files are not in the tree; the bundler refuses what is missing.
  if (/\.(?:css|gen\.ts)$/.test(target)) return [];
  if (!known.has(target)) {
    return [breach(item, `${target} does not exist`, 'imports carry the full file name')];
  }
  if (target.endsWith('.test.ts')) {
    return [breach(item, `imports the test ${target}`, 'a test is run, never imported')];
  }
  const guarded = PRIVATE.find((file) => file.path === target);
  if (guarded !== undefined && !isTest(item.from) && !within(item.from, guarded.to)) {
    return [breach(item, `imports ${target}`, guarded.reason)];
  }
  return isTest(item.from) ? [] : checkLayer(item, target);
}

function checkLayer(item: Import, target: string): readonly Violation[] {
  const strangers = STRANGERS.find(({ paths }) => {
    const own = paths.find((path) => within(item.from, [path]));
    return own !== undefined && paths.some((path) => path !== own && within(target, [path]));
  });
  if (strangers !== undefined) return [breach(item, `imports ${target}`, strangers.reason)];
  const layer = layerOf(item.from);
  if (layer === undefined || mayImport(layer, target)) return [];
  if (item.dynamic && DYNAMIC.some(({ from, to }) => from === item.from && to === target)) return [];
  return [breach(item, `imports ${target}`, layer.reason)];
}

function mayImport(layer: Layer, target: string): boolean {
  if (within(target, [layer.path, ...layer.may])) return true;
  return layer.may.includes('contracts') && isContract(target);
}

function isContract(path: string): boolean {
  return (path.startsWith('src/') && path.endsWith('/contract.ts')) || path in PURE;
}

function checkPackage(item: Import): readonly Violation[] {
  const name = packageOf(item.specifier);
  if (name === undefined || !item.from.startsWith('src/') || isTest(item.from)) return [];
  const homes = PACKAGES[name];
  if (homes === undefined) {
    return [breach(item, `imports the package ${name}`, 'a runtime dependency needs a home in layers.ts')];
  }
  if (within(item.from, homes)) return [];
  return [breach(item, `imports ${name}`, `a package has one home, this one ${homes.join(', ')}`)];
}

export function layerOf(path: string): Layer | undefined {
  let best: Layer | undefined;
  for (const layer of LAYERS) {
    if (within(path, [layer.path]) && layer.path.length > (best?.path.length ?? 0)) best = layer;
  }
  return best;
}

/** True when the path is one of these files or lies below one of these folders. */
export function within(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** Type imports count too: two files that need each other's types are one idea or three. */
function findCycles(imports: readonly Import[]): readonly Violation[] {
  const edges = Map.groupBy(
    imports.filter((item) => item.target !== undefined && !item.dynamic),
    (item) => item.from,
  );
  const done = new Set<string>();
  const cycles: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    for (const item of edges.get(path) ?? []) {
      const target = item.target ?? '';
      const at = trail.indexOf(target);
      if (at !== -1) cycles.push(cycle(item, [...trail.slice(at), target]));
      else if (!done.has(target)) visit(target, [...trail, target]);
    }
    done.add(path);
  };
  for (const path of edges.keys()) if (!done.has(path)) visit(path, [path]);
  return cycles;
}

function cycle(item: Import, trail: readonly string[]): Violation {
  return {
    rule: 'cycles',
    path: item.from,
    line: item.line,
    message: trail.join(' → '),
    reason: 'files that import each other can only be understood together',
  };
}

function breach(item: Import, message: string, reason: string): Violation {
  return { rule: 'imports', path: item.from, line: item.line, message, reason };
}

function homeless(path: string): Violation {
  const reason = 'a new folder gets a row in layers.ts and in ARCHITECTURE.md';
  return { rule: 'imports', path, line: 1, message: 'the file belongs to no layer', reason };
}
