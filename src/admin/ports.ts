import type { EntryKind } from '../catalog/entries.ts';
import type { EntryJson } from '../catalog/entry-json.ts';
import type { Actor } from './contract.ts';

export interface Changed {
  readonly kind: 'changed';
  readonly entry: EntryJson;
}

export type EntryRefusal =
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'in-use'; readonly by: readonly string[] };

/** The catalogue as operators see and change it. Entries never carry a secret in clear. */
export interface CatalogChanges {
  list(kind: EntryKind): Promise<readonly EntryJson[]>;
  find(kind: EntryKind, key: string): Promise<EntryJson | undefined>;
  create(kind: EntryKind, value: EntryJson, actor: Actor): Promise<Changed | EntryRefusal>;
  update(
    kind: EntryKind,
    key: string,
    change: { readonly value: EntryJson; readonly actor: Actor },
  ): Promise<Changed | EntryRefusal>;
  remove(kind: EntryKind, key: string, actor: Actor): Promise<{ readonly kind: 'removed' } | EntryRefusal>;
  settings(): Promise<EntryJson>;
  changeSettings(value: EntryJson, actor: Actor): Promise<Changed | EntryRefusal>;
}
