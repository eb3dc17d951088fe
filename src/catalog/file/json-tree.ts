import { CATALOG_FILE_DEPTH_MAX, CATALOG_FILE_NODES_MAX } from '../../bounds.ts';
import type { Problems } from './problems.ts';
import type { Tree } from './yaml-tree.ts';

/** JSON as the readers of a catalogue file take it. `${NAME}` means itself: it came over the network. */
export function jsonTree(value: unknown, problems: Problems): Tree {
  return toTree(value, 0, { nodes: 0, problems });
}

interface Walk {
  nodes: number;
  readonly problems: Problems;
}

const NOTHING: Tree = { kind: 'scalar', line: 0, value: null, text: '', origin: 'file' };

function toTree(value: unknown, depth: number, walk: Walk): Tree {
  if (++walk.nodes > CATALOG_FILE_NODES_MAX || depth > CATALOG_FILE_DEPTH_MAX) {
    walk.problems.add('', 'it is nested too deeply or too large', 0);
    return NOTHING;
  }
  if (Array.isArray(value)) {
    return { kind: 'list', line: 0, items: value.map((item) => toTree(item, depth + 1, walk)) };
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, child]) => [key, toTree(child, depth + 1, walk)] as const,
    );
    return { kind: 'map', line: 0, entries: new Map(entries) };
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return NOTHING;
  return { kind: 'scalar', line: 0, value, text: String(value), origin: 'file' };
}
