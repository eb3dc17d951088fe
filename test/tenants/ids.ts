import { systemRandom } from '../../src/kernel/random.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import type { Kind, Stage, Tenant } from './stage.ts';
import { type Place, SUBJECTS } from './subjects.ts';

export const ID_VARIANTS = [
  ...['own', 'foreign', 'deleted', 'absent', 'mixed'],
  ...['negative', 'huge', 'array', 'object'],
] as const;
export type IdVariant = (typeof ID_VARIANTS)[number];

/** Where ids come from. Operators write to spare accounts: the tenants stay as they are. */
export interface Supply {
  readonly stage: Stage;
  readonly spares: readonly Tenant[];
  readonly deleted: Partial<Record<Kind, number>>;
}

export interface IdCell {
  readonly row: Operation;
  readonly caller: string;
  readonly place: Place | undefined;
  readonly variant: IdVariant;
}

const ABSENT = 900_000_001;
const GONE = 900_000_002;

/** The ids of one request: `place` as the variant says, all others good ones. */
export async function valuesFor(
  cell: IdCell,
  supply: Supply,
  effect: 'really' | 'refused anyway',
): Promise<Partial<Record<Place, unknown>>> {
  const subject = SUBJECTS[cell.row.name] ?? {};
  const values: Partial<Record<Place, unknown>> = {};
  for (const [place, kind] of Object.entries(subject) as [Place, Kind][]) {
    const variant = place === cell.place ? cell.variant : 'own';
    const own = () => ownId({ ...cell, place }, kind, supply, effect);
    values[place] = await idOf(variant, own, {
      foreign: foreignId(cell.row, kind, supply, effect),
      kind,
      supply,
    });
  }
  return values;
}

async function idOf(
  variant: IdVariant,
  own: () => Promise<unknown>,
  { foreign, kind, supply }: { readonly foreign: unknown; readonly kind: Kind; readonly supply: Supply },
): Promise<unknown> {
  switch (variant) {
    case 'own':
      return own();
    case 'foreign':
      return foreign;
    case 'deleted':
      return supply.deleted[kind] ?? GONE;
    case 'absent':
      return ABSENT;
    case 'mixed':
      return `${String(await own())},${String(foreign)}`;
    case 'negative':
      return -1;
    case 'huge':
      return 2 ** 63;
    case 'array':
      return [ABSENT];
    case 'object':
      return { id: ABSENT };
  }
}

/** What only an operator could change is aimed at the victim when it must not happen. */
function foreignId({ access }: Operation, kind: Kind, { stage, spares }: Supply, effect: string): unknown {
  if (kind === 'platform') return ABSENT;
  if (access !== 'operator') return stage.victim.things[kind];
  return (effect === 'really' ? spares[1] : stage.victim)?.things[kind] ?? ABSENT;
}

async function ownId(
  { row, caller, place }: IdCell,
  kind: Kind,
  { stage, spares }: Supply,
  effect: 'really' | 'refused anyway',
): Promise<unknown> {
  if (kind === 'platform') return stage.entryOf(row.name, place ?? '');
  // Here a key must exist, and rows before have deleted that of the spare account and disabled it.
  const [spare] = spares;
  if (row.name === 'accountLimits.get' && kind === 'key' && effect === 'really' && spare !== undefined) {
    return keyOf(stage, spare.id);
  }
  if (row.access === 'operator') return spare?.things[kind];
  const isSpent = effect === 'really' && caller === 'own' && row.method !== 'GET';
  if (isSpent && (kind === 'key' || kind === 'byok' || kind === 'channel'))
    return stage.fresh(kind, stage.owner);
  return stage.owner.things[kind];
}

async function keyOf({ world }: Stage, accountId: number): Promise<number> {
  const wanted = { accountId, name: 'fresh', policyId: undefined, expiresAtMs: undefined };
  const made = await createKey(world.database, { ...wanted, status: 'enabled' }, systemRandom);
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.key.id;
}

/** Several ids are a list in one place only; elsewhere they are no id. */
export function isMalformed(variant: IdVariant, place: Place | undefined): boolean {
  return (
    ['negative', 'huge', 'array', 'object'].includes(variant) ||
    (variant === 'mixed' && place !== 'query.ids')
  );
}
