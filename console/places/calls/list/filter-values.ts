import { keepPreviousData } from '@tanstack/react-query';
import { useApi } from '../../../api/api.ts';
import { PROTOCOLS } from '../../../api/protocols.ts';
import {
  type CallSearch,
  ERROR_CODES,
  type FilterName,
  modelsOf,
  type Of,
  PAYERS,
  STATUSES,
  VERDICTS,
} from '../search.ts';
import type { Texts } from './columns.tsx';

export interface FilterValue {
  readonly value: string;
  readonly label: string;
  readonly change: CallSearch;
  readonly isChosen: boolean;
}

interface Asked {
  readonly of: Of;
  readonly search: CallSearch;
  readonly t: Texts;
  /** What was typed to find a value. */
  readonly typed: string;
  /** Values that the server knows are read only where they are shown. */
  readonly isShown: boolean;
}

const KEYS_MAX = 100;

function useModelNames({ of, isShown }: Asked): readonly string[] {
  const options = { enabled: isShown, staleTime: 60_000 };
  const offered = useApi('listOfferedModels', {}, { ...options, enabled: isShown && of === 'own' });
  const all = useApi(
    'listModels',
    { query: { size: KEYS_MAX } },
    { ...options, enabled: isShown && of === 'all' },
  );
  return [...(offered.data?.data ?? []), ...(all.data?.data ?? [])].map(({ model_id: id }) => id);
}

/** Keys by their numbers. Operators see those of the account that is chosen. Without `of` none are read. */
export function useKeyNames(of: Of | undefined, accountId: number | undefined): ReadonlyMap<number, string> {
  const query = { size: KEYS_MAX };
  const own = useApi('listKeys', { query }, { enabled: of === 'own' });
  const params = { id: accountId ?? 0 };
  const enabled = of === 'all' && accountId !== undefined;
  const ofAccount = useApi('listKeysOfAccount', { params, query }, { enabled });
  return new Map(((of === 'own' ? own : ofAccount).data?.data ?? []).map(({ id, name }) => [id, name]));
}

function useAccounts({ of, typed, isShown }: Asked) {
  const query = { size: 20, ...(typed.trim() !== '' && { email: typed.trim() }) };
  const options = { enabled: isShown && of === 'all', placeholderData: keepPreviousData };
  return useApi('listAccounts', { query }, options).data?.data ?? [];
}

/** A model more or less in the filter. */
export function withModel(search: CallSearch, name: string): CallSearch {
  const now = modelsOf(search);
  const next = now.includes(name) ? now.filter((each) => each !== name) : [...now, name];
  return { model: next.length === 0 ? undefined : next.join(',') };
}

const fixed = <Value extends string | number>(
  values: readonly Value[],
  chosen: unknown,
  of: { readonly label: (value: Value) => string; readonly change: (value: Value) => CallSearch },
): readonly FilterValue[] =>
  values.map((value) => ({
    value: String(value),
    label: of.label(value),
    change: of.change(value),
    isChosen: chosen === value,
  }));

/** The values that a filter may take, as far as they are known. */
export function useFilterValues(name: FilterName | undefined, asked: Asked): readonly FilterValue[] {
  const { of, search, t } = asked;
  const models = useModelNames({ ...asked, isShown: asked.isShown && name === 'model' });
  const keys = useKeyNames(asked.isShown && name === 'key_id' ? of : undefined, search.account_id);
  const accounts = useAccounts({ ...asked, isShown: asked.isShown && name === 'account_id' });
  if (name === 'account_id') {
    return accounts.map(({ id, email }) => ({
      ...{ value: String(id), label: email, isChosen: search.account_id === id },
      change: { account_id: id, key_id: undefined },
    }));
  }
  if (name === 'model') {
    const chosen = modelsOf(search);
    return [...new Set([...chosen, ...models])].map((model) => ({
      ...{ value: model, label: model, isChosen: chosen.includes(model) },
      change: withModel(search, model),
    }));
  }
  if (name === 'key_id') {
    return fixed([...keys.keys()], search.key_id, {
      label: (id) => keys.get(id) ?? t.keyNumber(id),
      change: (id) => ({ key_id: id }),
    });
  }
  return name === undefined ? [] : fixedValues(name, search, t);
}

function fixedValues(name: FilterName, search: CallSearch, t: Texts): readonly FilterValue[] {
  if (name === 'status') {
    return fixed(['ok', 'failed', ...STATUSES] as const, search.status, {
      label: (status) => (typeof status === 'number' ? String(status) : t.statusNames[status]),
      change: (status) => ({ status }),
    });
  }
  if (name === 'verdict') {
    const label = (verdict: (typeof VERDICTS)[number]) => t.verdicts[verdict];
    return fixed(VERDICTS, search.verdict, { label, change: (verdict) => ({ verdict }) });
  }
  if (name === 'error_code') {
    return fixed(ERROR_CODES, search.error_code, { label: String, change: (code) => ({ error_code: code }) });
  }
  if (name === 'protocol') {
    const label = (protocol: (typeof PROTOCOLS)[number]) => t.protocols[protocol];
    return fixed(PROTOCOLS, search.protocol, { label, change: (protocol) => ({ protocol }) });
  }
  const label = (payer: (typeof PAYERS)[number]) => t.payers[payer];
  return fixed(PAYERS, search.payer, { label, change: (payer) => ({ payer }) });
}

/** A filter that has no such value yet: any model, any status and any error code may be typed. */
export function typedValue(name: FilterName, typed: string, search: CallSearch): CallSearch | undefined {
  const text = typed.trim();
  if (name === 'model' && text !== '' && !text.includes(',')) return withModel(search, text);
  if (name === 'status' && /^[1-5]\d\d$/.test(text)) return { status: Number(text) };
  if (name === 'error_code' && /^[1-9]\d{4}$/.test(text)) return { error_code: Number(text) };
  return undefined;
}
