import { HELD_CHARS_MAX, JSON_DEPTH_MAX, PARTIAL_ITEMS_MAX } from '../../../bounds.ts';
import { isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { findText, listObjects } from '../fields.ts';

/** A step of a path such as `$.recipe.steps[2]['of it']`. */
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** Names are keys of a map, so that a name like `__proto__` is an ordinary one. */
type Tree = Map<string, Value> | Value[];
type Value = string | number | boolean | null | Tree;

/**
 * A call whose arguments come in fragments (Vertex, on request). Each fragment has its path in the arguments,
 * and texts are continued piece by piece. Fragments with an invalid path are left out; everything is limited.
 */
export class PartialCall {
  readonly #root: Map<string, Value> = new Map();
  #chars = 0;
  #itemCount = 0;

  /** One event's `functionCall`. */
  add(call: JsonObject): void {
    for (const fragment of listObjects(call.partialArgs)) {
      const steps = parseSteps(findText(fragment.jsonPath) ?? '');
      const value = fragmentValue(fragment);
      if (steps === undefined || value === undefined || !this.#fits(value)) continue;
      this.#put(steps, value);
    }
  }

  /** The arguments so far. */
  get arguments(): string {
    return JSON.stringify(plain(this.#root));
  }

  #fits(value: Value): boolean {
    this.#chars += typeof value === 'string' ? value.length : 1;
    return this.#chars <= HELD_CHARS_MAX;
  }

  #put(steps: readonly (string | number)[], value: Value): void {
    let tree: Tree = this.#root;
    for (const [index, step] of steps.entries()) {
      const known = findChild(tree, step);
      if (index === steps.length - 1) {
        const text = typeof known === 'string' && typeof value === 'string' ? known + value : value;
        this.#set(tree, step, text);
        return;
      }
      const isTree = known instanceof Map || Array.isArray(known);
      const next: Tree = isTree ? known : typeof steps[index + 1] === 'number' ? [] : new Map();
      if (!isTree && !this.#set(tree, step, next)) return;
      tree = next;
    }
  }

  /** False if the path does not exist: lists grow one element at a time. */
  #set(tree: Tree, step: string | number, value: Value): boolean {
    if (this.#itemCount++ > PARTIAL_ITEMS_MAX) return false;
    if (tree instanceof Map) {
      tree.set(String(step), value);
      return true;
    }
    if (typeof step !== 'number' || step > tree.length) return false;
    tree[step] = value;
    return true;
  }
}

function findChild(tree: Tree, step: string | number): Value | undefined {
  if (tree instanceof Map) return tree.get(String(step));
  return typeof step === 'number' ? tree[step] : undefined;
}

function parseSteps(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith('$') || path.length === 1) return undefined;
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < path.length && steps.length < JSON_DEPTH_MAX) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const [whole, name, index, quoted] = found;
    steps.push(index === undefined ? (name ?? (quoted as string).replace(/\\(.)/g, '$1')) : Number(index));
    at += whole.length;
  }
  return at < path.length ? undefined : steps;
}

function fragmentValue(fragment: JsonObject): Value | undefined {
  const { stringValue: text, numberValue: number, boolValue: flag, nullValue } = fragment;
  if (typeof text === 'string') return text;
  if (typeof number === 'number') return number;
  if (typeof flag === 'boolean') return flag;
  return nullValue === undefined ? undefined : null;
}

function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)])) : value;
}

/** Whether more of this call will follow. */
export function isPartial(value: JsonValue | undefined): boolean {
  return isObject(value) && (value.willContinue === true || value.partialArgs !== undefined);
}
