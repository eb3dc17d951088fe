import type { ReactNode } from 'react';
import { Button } from '../../../../parts/button.tsx';
import { SearchInput } from '../../../../parts/form/search-input.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { FilterBar } from '../../../../parts/page/filter-bar.tsx';
import { PageHead } from '../../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../../parts/table/table.tsx';
import { Pill } from '../../../../parts/text/status.tsx';
import { type Entry, entriesOf, findEntry, isSame, keyOf } from '../changes/document.ts';
import { useChangeCount } from '../changes/what-it-does.tsx';
import type { Section } from '../search.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import type { Catalogue } from '../use-catalogue.ts';

export type ListKind = Exclude<Section, 'yaml'>;
export type EntryState = 'same' | 'new' | 'changed' | 'removed';

export interface EntryRow {
  readonly key: string;
  readonly entry: Entry;
  readonly state: EntryState;
}

/** The entries of a kind as they would be; those that go are still listed. */
export function rowsOf({ base, document }: Catalogue, kind: ListKind): readonly EntryRow[] {
  const now = entriesOf(document, kind).map((entry): EntryRow => {
    const key = keyOf(kind, entry);
    const before = findEntry(base, kind, key);
    return { key, entry, state: before === undefined ? 'new' : isSame(before, entry) ? 'same' : 'changed' };
  });
  const gone = entriesOf(base, kind)
    .map((entry): EntryRow => ({ key: keyOf(kind, entry), entry, state: 'removed' }))
    .filter(({ key }) => findEntry(document, kind, key) === undefined);
  return [...now, ...gone];
}

/** Says that an entry differs from what is in force. */
export function StatePill({ state }: { readonly state: EntryState }) {
  const t = useCatalogueTexts();
  if (state === 'same') return null;
  return <Pill tone={state === 'removed' ? 'bad' : 'warn'}>{t.states[state]}</Pill>;
}

/** Opens the changes that are not applied, while there are any. */
export function ChangesButton({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const { catalogue, search, onSearch } = page;
  const number = useChangeCount(page);
  const isQuiet = catalogue.edits.length === 0 || search.changes === 'open';
  if (isQuiet) return null;
  return (
    <Button icon="clock" onClick={() => onSearch({ changes: 'open', edit: undefined, add: undefined })}>
      {t.changes.button(number)}
    </Button>
  );
}

export interface EntryListProps {
  readonly page: CataloguePageProps;
  readonly kind: ListKind;
  readonly columns: readonly Column<EntryRow>[];
  readonly tall?: boolean | undefined;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly isOff?: ((entry: Entry) => boolean) | undefined;
}

export function EntryList({ page, kind, columns, tall, above, actions, isOff }: EntryListProps) {
  const t = useCatalogueTexts();
  const { catalogue, search, onSearch } = page;
  const { title, lead, add, none, noneText } = t.sections[kind];
  const all = rowsOf(catalogue, kind);
  const wanted = (search.q ?? '').toLowerCase();
  const rows = all.filter(({ entry }) => JSON.stringify(entry).toLowerCase().includes(wanted));
  const addButton = (
    <Button
      variant="primary"
      icon="plus"
      onClick={() => onSearch({ add: 'yes', edit: undefined, changes: undefined, prices: undefined })}
    >
      {add}
    </Button>
  );
  const empty =
    all.length === 0 ? (
      <Empty title={none} action={addButton}>
        {noneText}
      </Empty>
    ) : (
      <Empty
        plain
        title={t.notFound}
        action={<Button onClick={() => onSearch({ q: undefined })}>{t.showAll}</Button>}
      />
    );
  const link = (key: string) => (kind === 'models' ? { model: key } : { edit: key });
  return (
    <>
      <PageHead title={title} lead={lead}>
        <ChangesButton page={page} />
        {actions}
        {addButton}
      </PageHead>
      {above}
      {all.length > 0 && (
        <FilterBar>
          <SearchInput
            value={search.q ?? ''}
            onChange={(q) => onSearch({ q: q === '' ? undefined : q }, { replace: true })}
            placeholder={t.search}
          />
        </FilterBar>
      )}
      <Table
        {...{ label: title, columns, rows, empty, tall }}
        rowKey={({ key }) => key}
        openKey={search.edit}
        isOff={({ entry, state }) => state === 'removed' || isOff?.(entry) === true}
        rowLink={({ key }) => ({
          ...{ to: '/operator/catalogue/$section', params: { section: kind }, search: link(key) },
        })}
      />
    </>
  );
}
