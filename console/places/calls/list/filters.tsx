import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { useServerTimes } from '../../../app/server-time.ts';
import { Input } from '../../../parts/form/input.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Popover } from '../../../parts/overlay/popover.tsx';
import { AddFilter, FilterBar, FilterChip } from '../../../parts/page/filter-bar.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from '../calls.module.css';
import {
  type CallSearch,
  FILTERS,
  type FilterName,
  filtersOf,
  modelsOf,
  type Of,
  type OnSearch,
} from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import { ColumnMenu, type ColumnMenuProps } from './column-menu.tsx';
import { typedValue, useFilterValues, useKeyNames } from './filter-values.ts';
import { PeriodChip } from './period.tsx';
import { SearchBox } from './search-box.tsx';

export interface FiltersProps {
  readonly of: Of;
  readonly search: CallSearch;
  readonly onSearch: OnSearch;
  readonly columns: ColumnMenuProps;
}

/** The bar above the list. Every filter is in the address. */
export function CallFilters({ of, search, onSearch, columns }: FiltersProps) {
  const [edited, setEdited] = useState<FilterName>();
  const [isOpen, setOpen] = useState(false);
  const edit = (name: FilterName | undefined) => {
    setEdited(name);
    setOpen(true);
  };
  const t = useTexts({ en, zh });
  return (
    <FilterBar right={<ColumnMenu {...columns} />}>
      <SearchBox of={of} search={search} onSearch={onSearch} />
      <PeriodChip search={search} onSearch={onSearch} times={useServerTimes()} />
      {filtersOf(search).map((name) => (
        <Chip
          key={name}
          {...{ name, of, search }}
          onClick={() => edit(name)}
          onRemove={() =>
            onSearch({ [name]: undefined, ...(name === 'account_id' && { key_id: undefined }) })
          }
        />
      ))}
      {search.status === undefined && (
        <AddFilter onClick={() => onSearch({ status: 'failed' })}>{t.onlyFailed}</AddFilter>
      )}
      <Popover
        trigger={<AddFilter />}
        label={t.filters[edited ?? 'model']}
        open={isOpen}
        onOpenChange={(open) => {
          setOpen(open);
          if (open) setEdited(undefined);
        }}
      >
        {edited === undefined ? (
          <Names of={of} search={search} onChoose={setEdited} />
        ) : (
          <Values
            key={edited}
            {...{ name: edited, of, search }}
            onChoose={(change) => {
              onSearch(change);
              if (edited !== 'model') setOpen(false);
            }}
          />
        )}
      </Popover>
    </FilterBar>
  );
}

interface ChipProps {
  readonly name: FilterName;
  readonly of: Of;
  readonly search: CallSearch;
  readonly onClick: () => void;
  readonly onRemove: () => void;
}

function Chip({ name, of, search, onClick, onRemove }: ChipProps) {
  const t = useTexts({ en, zh });
  return (
    <FilterChip
      name={t.filters[name]}
      value={useChipValue(name, of, search)}
      onClick={onClick}
      onRemove={onRemove}
    />
  );
}

function useChipValue(name: FilterName, of: Of, search: CallSearch): string {
  const t = useTexts({ en, zh });
  const { key_id: keyId, account_id: accountId, status, verdict, protocol, payer } = search;
  const keys = useKeyNames(name === 'key_id' ? of : undefined, accountId);
  const params = { id: accountId ?? 0 };
  const account = useApi('getAccount', { params }, { enabled: name === 'account_id' && of === 'all' });
  const models = modelsOf(search);
  const values: Readonly<Record<FilterName, string | undefined>> = {
    account_id: account.data?.data.email ?? t.accountNumber(accountId ?? 0),
    model: models.length === 1 ? models[0] : t.anyOf(models.length),
    key_id: keys.get(keyId ?? 0) ?? t.keyNumber(keyId ?? 0),
    status: typeof status === 'string' ? t.statusNames[status] : String(status),
    verdict: verdict && t.verdicts[verdict],
    error_code: String(search.error_code),
    protocol: protocol && t.protocols[protocol],
    payer: payer && t.payers[payer],
  };
  return values[name] ?? '';
}

interface NamesProps {
  readonly of: Of;
  readonly search: CallSearch;
  readonly onChoose: (name: FilterName) => void;
}

function Names({ of, search, onChoose }: NamesProps) {
  const t = useTexts({ en, zh });
  const isOffered = (name: FilterName) =>
    name === 'account_id'
      ? of === 'all'
      : name !== 'key_id' || of === 'own' || search.account_id !== undefined;
  return (
    <div className={css.choices}>
      {FILTERS.filter(isOffered).map((name) => (
        <button key={name} type="button" className={css.choice} onClick={() => onChoose(name)}>
          {t.filters[name]}
          <Icon name="right" size={12} />
        </button>
      ))}
    </div>
  );
}

interface ValuesProps {
  readonly name: FilterName;
  readonly of: Of;
  readonly search: CallSearch;
  readonly onChoose: (change: CallSearch) => void;
}

const SEARCHED: readonly FilterName[] = ['account_id', 'model', 'key_id', 'status', 'error_code'];

function Values({ name, of, search, onChoose }: ValuesProps) {
  const t = useTexts({ en, zh });
  const [typed, setTyped] = useState('');
  const all = useFilterValues(name, { of, search, t, typed, isShown: true });
  const wanted = typed.trim().toLowerCase();
  const fitting = all.filter(({ label }) => label.toLowerCase().includes(wanted));
  const own = fitting.some(({ value }) => value === typed.trim())
    ? undefined
    : typedValue(name, typed, search);
  const first = fitting[0]?.change ?? own;
  return (
    <form
      className={css.choices}
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== '' && first !== undefined) onChoose(first);
      }}
    >
      {SEARCHED.includes(name) && (
        <Input
          autoFocus
          autoComplete="off"
          spellCheck={false}
          aria-label={`${t.searchValues}: ${t.filters[name]}`}
          placeholder={t.searchValues}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div className={css.values}>
        {fitting.map(({ value, label, change, isChosen }) => (
          <button
            key={value}
            type="button"
            className={css.choice}
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen && name !== 'model' ? { [name]: undefined } : change)}
          >
            <span className={css.name}>{label}</span>
            {isChosen && <Icon name="check" size={14} />}
          </button>
        ))}
        {own !== undefined && (
          <button type="button" className={css.choice} onClick={() => onChoose(own)}>
            <span className={css.name}>{t.takeAsTyped(typed.trim())}</span>
          </button>
        )}
        {fitting.length === 0 && own === undefined && <p className={css.none}>{t.noValues}</p>}
      </div>
    </form>
  );
}
