import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApiWrite } from '../../api/api.ts';
import { useStore } from '../../app/store.ts';
import { Button } from '../../parts/button.tsx';
import { SearchInput } from '../../parts/form/search-input.tsx';
import { Split } from '../../parts/overlay/drawer.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import { showToast } from '../../parts/overlay/toast.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { ChipButton, FilterBar } from '../../parts/page/filter-bar.tsx';
import { Page, PageHead } from '../../parts/page/layout.tsx';
import { Table } from '../../parts/table/table.tsx';
import { useTexts } from '../../texts/language.ts';
import { type KeyActions, keyColumns } from './columns.tsx';
import { type Key, useKeys, useKeyUse, usePolicies } from './data.ts';
import { deleteKey, leaving } from './delete-key.ts';
import { EditKey } from './edit-key.tsx';
import { NewKey } from './new-key.tsx';
import { type KeySearch, PERIODS } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export function Keys() {
  const t = useTexts({ en, zh });
  const navigate = useNavigate({ from: '/keys' });
  const search = useSearch({ from: '/user/keys' });
  const { data: all, error, refetch, isFetching } = useKeys();
  const gone = useStore(leaving);
  const keys = all?.filter(({ id }) => !gone.has(id));
  const go = (change: Partial<KeySearch>, replace = false): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace });
  const open = keys?.find(({ id }) => id === search.open);
  const close = () => go({ open: undefined });
  const remove = useRemove(close);
  return (
    <Split
      drawer={
        search.open === 'new' ? (
          <NewKey onClose={close} />
        ) : open === undefined ? undefined : (
          <EditKey key={open.id} shown={open} onClose={close} onDelete={remove} />
        )
      }
    >
      <Page>
        <PageHead title={t.title} lead={keys === undefined ? undefined : t.lead(countOf(keys))}>
          <Button
            variant="primary"
            icon="plus"
            disabled={search.open === 'new'}
            onClick={() => go({ open: 'new' })}
          >
            {t.newKey}
          </Button>
        </PageHead>
        {all === undefined && error !== null ? (
          <ErrorNote
            cause={t.unread}
            requestId={error.requestId}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        ) : (
          <KeyList keys={keys} search={search} go={go} />
        )}
      </Page>
    </Split>
  );
}

interface KeyListProps {
  readonly keys: readonly Key[] | undefined;
  readonly search: KeySearch;
  readonly go: (change: Partial<KeySearch>, replace?: boolean) => void;
}

function KeyList({ keys, search, go }: KeyListProps) {
  const t = useTexts({ en, zh });
  const { q = '', days = '30' } = search;
  const uses = useKeyUse(Number(days));
  const policies = usePolicies();
  const actions = useActions();
  const found = keys?.filter(({ name, prefix }) => isFound(q, name, prefix));
  const empty =
    keys?.length === 0 ? (
      <Empty title={t.empty.title} action={<Button onClick={() => go({ open: 'new' })}>{t.newKey}</Button>}>
        {t.empty.text}
      </Empty>
    ) : (
      <Empty
        plain
        title={t.empty.notFound}
        action={<Button onClick={() => go({ q: undefined })}>{t.empty.all}</Button>}
      />
    );
  return (
    <>
      <FilterBar>
        <SearchInput
          value={q}
          placeholder={t.search}
          onChange={(value) => go({ q: value === '' ? undefined : value }, true)}
        />
        <Menu
          trigger={<ChipButton name={t.spend} value={t.days(days)} />}
          groups={[
            PERIODS.map((each) => ({
              key: each,
              label: t.days(each),
              checked: each === days,
              onSelect: () => go({ days: each === '30' ? undefined : each }, true),
            })),
          ]}
        />
      </FilterBar>
      <Table
        label={t.title}
        tall
        columns={keyColumns({ t, uses, policies, days, actions })}
        rows={found}
        rowKey={({ id }) => String(id)}
        rowLink={({ id }) =>
          ({ to: '/keys', search: (before: KeySearch) => ({ ...before, open: id }) }) as never
        }
        openKey={typeof search.open === 'number' ? String(search.open) : undefined}
        isOff={({ status }) => status === 'disabled'}
        skeletonRows={4}
        empty={empty}
      />
    </>
  );
}

function isFound(wanted: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(wanted.trim().toLowerCase()));
}

function countOf(keys: readonly Key[]): { readonly all: number; readonly enabled: number } {
  return { all: keys.length, enabled: keys.filter(({ status }) => status === 'enabled').length };
}

function useRemove(after: () => void): (key: Key) => void {
  const t = useTexts({ en, zh });
  return (key) => {
    after();
    deleteKey(key, t.deleted(key.name)).catch(() => showToast({ text: t.notChanged(key.name) }));
  };
}

function useActions(): KeyActions {
  const t = useTexts({ en, zh });
  const write = useApiWrite('updateKey', ['listKeys']);
  const remove = useRemove(() => {});
  const toggle = ({ id, name, status }: Key): void =>
    write.mutate(
      { body: { id, status: status === 'enabled' ? 'disabled' : 'enabled' } },
      { onError: () => showToast({ text: t.notChanged(name) }) },
    );
  return { toggle, remove };
}
