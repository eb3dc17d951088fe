import { PROTOCOLS } from '../../api/protocols.ts';
import { Checkbox } from '../../parts/form/choice.tsx';
import { SearchInput } from '../../parts/form/search-input.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import { ChipButton, FilterBar, FilterChip } from '../../parts/page/filter-bar.tsx';
import { useTexts } from '../../texts/language.ts';
import type { Model } from './catalogue.ts';
import { FEATURES, type ModelsSearch, PRICES } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Change = Partial<Record<keyof ModelsSearch, unknown>>;

export interface ModelFiltersProps {
  readonly models: readonly Model[];
  readonly search: ModelsSearch;
  readonly onChange: (change: Change, replace?: 'replace') => void;
}

export function ModelFilters({ models, search, onChange }: ModelFiltersProps) {
  const t = useTexts({ en, zh });
  const routes = models.flatMap((model) => model.routes);
  const vendors = [...new Map(routes.map((each) => [each.vendor_code, each.vendor_name]))];
  return (
    <FilterBar
      right={
        <Checkbox
          checked={search.callable === true}
          onChange={(checked) => onChange({ callable: checked ? true : undefined }, 'replace')}
        >
          {t.onlyCallable}
        </Checkbox>
      }
    >
      <SearchInput
        label={t.searchModels}
        placeholder={t.nameOrId}
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q === '' ? undefined : q }, 'replace')}
      />
      <Choice
        name={t.vendor}
        value={search.vendor}
        options={vendors.map(([value, label]) => ({ value, label }))}
        onChoose={(vendor) => onChange({ vendor })}
      />
      <Choice
        name={t.takes}
        value={search.takes}
        options={FEATURES.map((value) => ({ value, label: t.features[value] }))}
        onChoose={(takes) => onChange({ takes })}
      />
      <Choice
        name={t.speaks}
        value={search.speaks}
        options={PROTOCOLS.map((value) => ({ value, label: t.protocols[value] }))}
        onChoose={(speaks) => onChange({ speaks })}
      />
      <Choice
        name={t.price}
        value={search.price === undefined ? undefined : String(search.price)}
        options={PRICES.map((value) => ({ value: String(value), label: t.atMost(value) }))}
        onChoose={(price) => onChange({ price: price === undefined ? undefined : Number(price) })}
      />
    </FilterBar>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string | undefined) => void;
}

/** One of several values, or any. A chosen one can be taken back with a click. */
function Choice({ name, value, options, onChoose }: ChoiceProps) {
  const t = useTexts({ en, zh });
  if (value !== undefined) {
    const label = options.find((option) => option.value === value)?.label ?? value;
    return <FilterChip name={name} value={label} onRemove={() => onChoose(undefined)} />;
  }
  return (
    <Menu
      trigger={<ChipButton name={name} value={t.any} />}
      groups={[
        options.map((option) => ({
          key: option.value,
          label: option.label,
          onSelect: () => onChoose(option.value),
        })),
      ]}
    />
  );
}
