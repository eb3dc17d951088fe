import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { foldKey, hashLetters, lettersAt } from '../pass-through/key-spelling.ts';

/**
 * Wanted keys of a JSON text, written as paths from its top (`usage`, `response.usage.input_tokens`). They
 * are compiled into a tree, so that a walk over the bytes compares each key only with the few that matter at
 * its place. Paths lead through objects only: a key inside an array never matches.
 */
export interface PathNode {
  readonly key: Buffer;
  /** Stored beside the key, because reading a buffer's length is expensive in the innermost loop. */
  readonly length: number;
  /** Where the value's range is reported; -1 for a step of a path that is not wanted itself. */
  readonly slot: number;
  readonly children: readonly PathNode[];
  /**
   * One bit per length (modulo 32) of the children's keys. Most keys match none, and this decides it at once.
   */
  readonly childLengths: number;
  /** The key as the most lenient reader compares it (key-spelling.ts). */
  readonly letters: Buffer;
  readonly hash: number;
  /** The same for the children's keys. */
  readonly firstLetters: number;
  readonly secondLetters: number;
}

export interface PathTree<Name extends string> {
  readonly root: PathNode;
  readonly slots: Readonly<Record<Name, number>>;
  readonly slotCount: number;
  /** The path of each slot. */
  readonly paths: readonly string[];
}

interface Draft {
  readonly key: string;
  slot: number;
  readonly children: Map<string, Draft>;
}

/** Names are chosen by the caller; values are the paths. */
export function compilePaths<Name extends string>(paths: Readonly<Record<Name, string>>): PathTree<Name> {
  const top: Draft = { key: '', slot: -1, children: new Map() };
  const slots = Object.create(null) as Record<Name, number>;
  const names = Object.keys(paths) as Name[];
  let slotCount = 0;
  for (const name of names) {
    let node = top;
    for (const key of paths[name].split('.')) {
      let child = node.children.get(key);
      if (child === undefined) {
        child = { key, slot: -1, children: new Map() };
        node.children.set(key, child);
      }
      node = child;
    }
    node.slot = slotCount;
    slots[name] = slotCount++;
  }
  return { root: freezeDraft(top), slots, slotCount, paths: names.map((name) => paths[name]) };
}

function freezeDraft(draft: Draft): PathNode {
  const children = [...draft.children.values()].map(freezeDraft);
  return makeNode(draft.key, draft.slot, children);
}

export function makeNode(key: string, slot: number, children: readonly PathNode[]): PathNode {
  const bytes = Buffer.from(key);
  const childLengths = children.reduce((bits, child) => bits | (1 << (child.length & 31)), 0);
  const letters = Buffer.from(foldKey(key));
  return {
    key: bytes,
    length: bytes.length,
    slot,
    children,
    childLengths,
    letters,
    hash: hashLetters(letters),
    firstLetters: lettersAt(children, 0),
    secondLetters: lettersAt(children, 1),
  };
}

/** The child whose key is at these bytes (between the quotes), compared as written. */
export function findChild(
  node: PathNode,
  bytes: LentBytes,
  start: number,
  end: number,
): PathNode | undefined {
  const length = end - start;
  if ((node.childLengths & (1 << (length & 31))) === 0) return undefined;
  const { children } = node;
  for (let index = 0; index < children.length; index++) {
    const child = children[index] as PathNode;
    if (child.length === length && sameBytes(child.key, bytes, start)) return child;
  }
  return undefined;
}

/** Whether `bytes` has `wanted` at `start`. */
export function sameBytes(wanted: Uint8Array, bytes: LentBytes, start: number): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  return true;
}
