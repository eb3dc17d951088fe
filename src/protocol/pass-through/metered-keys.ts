import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { compilePaths, type PathTree } from '../bytes/paths.ts';
import type { ByteRange, MemberKind, RequestMember } from '../dialect.ts';
import { foldKey } from './key-spelling.ts';
import { isOfKinds, refuseOtherKind } from './member-kind.ts';

/** A member of a request: its path, and what it may be. */
export type Member = readonly [path: string, kind: MemberKind, ...others: MemberKind[]];

/** The members of a request that the gateway acts on. */
export interface MemberTree<Name extends string> extends PathTree<Name> {
  /** By slot. */
  readonly members: readonly CompiledMember[];
}

interface CompiledMember extends RequestMember {
  /** A bit that is shared by members whose paths differ only in spellings that a vendor knows. */
  readonly group: number;
}

/** May be repeated: every one of them is replaced in the vendor's request. */
const REPEATABLE = 'model';

/**
 * Compiles the members that a reader of requests looks for. Each states its kinds, because the gateway would
 * pass over a value of another kind, and a vendor may read it all the same.
 */
export function compileMembers<Name extends string>(
  members: Readonly<Record<Name, Member>>,
): MemberTree<Name> {
  const entries = Object.entries<Member>(members);
  const paths = Object.fromEntries(entries.map(([name, [path]]) => [name, path])) as Record<Name, string>;
  const tree = compilePaths(paths);
  assert(tree.slotCount <= 32, 'the groups of a tree are bits of one number');
  const folded = tree.paths.map(foldKey);
  const compiled = entries.map(([, [path, ...kinds]], slot) => ({
    path,
    kinds,
    group: 1 << folded.indexOf(folded[slot] as string),
  }));
  return {
    root: tree.root,
    slots: tree.slots,
    slotCount: tree.slotCount,
    paths: tree.paths,
    members: compiled,
  };
}

/**
 * Refuses, for the client, what two readers of a request could read differently: a repeated key, because some
 * read the first, most the last, and some both; and a value of the wrong type, because some take `1` and
 * `"true"` for true.
 */
export function refuseMembers(
  body: Buffer,
  found: readonly (readonly ByteRange[] | undefined)[],
  { members }: MemberTree<string>,
): Refusal | undefined {
  let groups = 0;
  for (let index = 0; index < found.length; index++) {
    const ranges = found[index];
    if (ranges === undefined) continue;
    const { kinds, path, group } = members[index] as CompiledMember;
    const isSeen = ranges.length > 1 || (groups & group) !== 0;
    if (isSeen && path !== REPEATABLE) {
      return refuse('bodyNotJson', { message: `"${path}" comes more than once` });
    }
    groups |= group;
    if (!isOfKinds(body, ranges[0] as ByteRange, kinds)) return refuseOtherKind(path, kinds);
  }
  return undefined;
}
