import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { Popover } from '../../parts/overlay/popover.tsx';
import { AddFilter, FilterBar, FilterChip } from '../../parts/page/filter-bar.tsx';
import { useTexts } from '../../texts/language.ts';
import { filterOfGroup, useUsage } from './data.ts';
import { groupName } from './figures.ts';
import {
  FILTERS,
  type FilterName,
  filtersOf,
  GROUPINGS,
  type Grouping,
  MEASURES,
  type UsageSearch,
} from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import { beforeName, type UsageView } from './view.ts';

/** What is shown: the measure, by what, against what, of which calls, in which steps. */
export function UsageFilterBar(view: UsageView) {
  const { search, span, step, onSearch } = view;
  const t = useTexts({ en, zh });
  return (
    <FilterBar
      right={
        span.steps.length > 1 && (
          <Segmented
            size="sm"
            label={t.stepLabel}
            value={step}
            onChange={(next) => onSearch({ step: next === span.steps[0] ? undefined : next, at: undefined })}
            options={[...span.steps].toSorted(shortFirst).map((value) => ({ value, label: t.steps[value] }))}
          />
        )
      }
    >
      <Segmented
        size="sm"
        label={t.measureLabel}
        value={search.measure ?? 'spend'}
        onChange={(measure) => onSearch({ measure: measure === 'spend' ? undefined : measure })}
        options={MEASURES.map((value) => ({ value, label: t.measures[value] }))}
      />
      <span className={css.by}>{t.by}</span>
      <Segmented
        size="sm"
        label={t.groupLabel}
        value={search.by ?? 'model'}
        onChange={(by) => onSearch({ by: by === 'model' ? undefined : by })}
        options={GROUPINGS.map((value) => ({ value, label: t.groupings[value] }))}
      />
      {search.compare === undefined ? (
        <FilterChip
          name={t.compare}
          value={beforeName(search, span, t)}
          onRemove={() => onSearch({ compare: 'off' })}
        />
      ) : (
        <AddFilter onClick={() => onSearch({ compare: undefined })}>{t.compare}</AddFilter>
      )}
      {FILTERS.filter((name) => search[name] !== undefined).map((name) => (
        <Chip key={name} name={name} {...view} />
      ))}
      <FilterMenu {...view} />
    </FilterBar>
  );
}

const LENGTHS = ['hour', 'day', 'week'];

function shortFirst(one: string, other: string): number {
  return LENGTHS.indexOf(one) - LENGTHS.indexOf(other);
}

function Chip({ name, search, onSearch }: UsageView & { readonly name: FilterName }) {
  const t = useTexts({ en, zh });
  const keys = useApi('listKeys', { query: { size: 100 } }, { enabled: name === 'key_id' }).data?.data;
  const { model = '', key_id: id = 0, protocol, payer } = search;
  const values: Readonly<Record<FilterName, string>> = {
    model,
    key_id: keys?.find((key) => key.id === id)?.name ?? t.keyNumber(id),
    protocol: protocol === undefined ? '' : t.protocols[protocol],
    payer: payer === undefined ? '' : t.payers[payer],
  };
  return (
    <FilterChip
      name={t.filters[name]}
      value={values[name]}
      onRemove={() => onSearch({ [name]: undefined, at: undefined })}
    />
  );
}

const GROUPING_OF: Readonly<Record<FilterName, Grouping>> = {
  ...{ model: 'model', key_id: 'key', protocol: 'protocol', payer: 'payer' },
};

/** First what to filter by, then one of the values that the period has. */
function FilterMenu(view: UsageView) {
  const { search, onSearch } = view;
  const t = useTexts({ en, zh });
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<FilterName>();
  const names = FILTERS.filter((name) => search[name] === undefined);
  if (names.length === 0) return null;
  return (
    <Popover
      trigger={<AddFilter />}
      label={chosen === undefined ? t.filters.model : t.filters[chosen]}
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setChosen(undefined);
      }}
    >
      <div className={css.choices}>
        {chosen === undefined ? (
          names.map((name) => (
            <button key={name} type="button" className={css.choice} onClick={() => setChosen(name)}>
              {t.filters[name]}
              <Icon name="right" size={12} />
            </button>
          ))
        ) : (
          <Values
            {...view}
            name={chosen}
            onChoose={(change) => {
              onSearch({ ...change, at: undefined });
              setOpen(false);
            }}
          />
        )}
      </div>
    </Popover>
  );
}

const VALUES_MAX = 20;

interface ValuesProps extends UsageView {
  readonly name: FilterName;
  readonly onChoose: (change: UsageSearch) => void;
}

function Values({ name, search, span, onChoose }: ValuesProps) {
  const t = useTexts({ en, zh });
  const by = GROUPING_OF[name];
  const { data } = useUsage({ span, by, filters: filtersOf(search), groups: VALUES_MAX });
  const groups = data?.data.groups.filter(({ group }) => group !== null && group !== '');
  if (groups === undefined) return null;
  if (groups.length === 0) return <p className={css.none}>{t.noValues}</p>;
  return groups.map((each) => (
    <button
      key={each.group}
      type="button"
      className={css.choice}
      onClick={() => onChoose(filterOfGroup(by, each.group))}
    >
      {groupName(each, by, t)}
    </button>
  ));
}
