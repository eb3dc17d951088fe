import { useState } from 'react';
import { SearchInput } from '../../../parts/form/search-input.tsx';
import { Icon, type IconName } from '../../../parts/icons/icon.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from '../calls.module.css';
import type { OnSearch } from '../search.ts';
import { type CallSearch, type FilterName, type Of, REQUEST_ID } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import { typedValue, useFilterValues } from './filter-values.ts';

export interface SearchBoxProps {
  readonly of: Of;
  readonly search: CallSearch;
  readonly onSearch: OnSearch;
}

interface Suggestion {
  readonly key: string;
  readonly filter: FilterName;
  readonly label: string;
  readonly change: CallSearch;
}

const ICONS: Readonly<Partial<Record<FilterName, IconName>>> = {
  model: 'cube',
  key_id: 'key',
  account_id: 'users',
};
const SUGGESTIONS_MAX = 8;

/** Filters whose value has what was typed in its name. */
function useSuggestions({ of, search }: SearchBoxProps, typed: string): readonly Suggestion[] {
  const t = useTexts({ en, zh });
  const wanted = typed.trim().toLowerCase();
  const asked = { of, search, t, typed, isShown: wanted !== '' };
  const known = {
    account_id: useFilterValues('account_id', asked),
    model: useFilterValues('model', asked),
    key_id: useFilterValues('key_id', asked),
    status: useFilterValues('status', asked),
    verdict: useFilterValues('verdict', asked),
    error_code: useFilterValues('error_code', asked),
  };
  if (wanted === '') return [];
  const found = (Object.keys(known) as (keyof typeof known)[]).flatMap((filter) =>
    known[filter]
      .filter(({ label, isChosen }) => !isChosen && label.toLowerCase().includes(wanted))
      .map(({ value, label, change }) => ({ key: `${filter}:${value}`, filter, label, change })),
  );
  const own = (['error_code', 'status', 'model'] as const).flatMap((filter) => {
    const change = typedValue(filter, typed, search);
    return change === undefined ? [] : [{ key: `own:${filter}`, filter, label: typed.trim(), change }];
  });
  const fresh = own.filter(
    ({ filter, label }) => !found.some((each) => each.filter === filter && each.label === label),
  );
  return [...found.slice(0, SUGGESTIONS_MAX - 1), ...fresh.slice(0, 1)];
}

/** Finds filters by the names of their values. A request id opens its call. */
export function SearchBox(props: SearchBoxProps) {
  const { onSearch } = props;
  const t = useTexts({ en, zh });
  const [typed, setTyped] = useState('');
  const suggestions = useSuggestions(props, typed);
  const choose = (change: CallSearch | undefined) => {
    if (change === undefined) return;
    setTyped('');
    onSearch(change);
  };
  const type = (text: string) => {
    // A whole id was pasted; a typed one waits for Enter.
    const isPasted = text.trim().length - typed.trim().length > 1;
    if (isPasted && REQUEST_ID.test(text.trim())) choose({ call: text.trim() });
    else setTyped(text);
  };
  const submit = (text: string) =>
    choose(REQUEST_ID.test(text.trim()) ? { call: text.trim() } : suggestions[0]?.change);
  return (
    <div className={css.searchBox}>
      <SearchInput
        value={typed}
        onChange={type}
        onSubmit={submit}
        label={t.searchLabel}
        placeholder={t.searchHint}
      />
      {suggestions.length > 0 && !typed.startsWith('req_') && (
        <ul className={css.suggestions} aria-label={t.suggestions}>
          {suggestions.map(({ key, filter, label, change }) => (
            <li key={key}>
              <button type="button" className={css.choice} onClick={() => choose(change)}>
                <Icon name={ICONS[filter] ?? 'list'} size={14} />
                <small>{t.filters[filter]}</small>
                <span className={css.name}>{label}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
