import { useCallback } from 'react';
import { useApi } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Drawer, DrawerSection, Split } from '../../../parts/overlay/drawer.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count } from '../../../parts/text/format.ts';
import { Cut, Dim, Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Pages, ReadError } from '../shared.tsx';
import { Action, Changes, type Entry, summaryOf, useWords } from './changes.tsx';
import { AuditFilters } from './filters.tsx';
import { type AuditSearch, operatorAuditRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const SIZE = 50;

function filterOf({ entity, action, key, actor, account_id }: AuditSearch) {
  return {
    ...(entity !== undefined && { entity }),
    ...(action !== undefined && { action }),
    ...(key !== undefined && { key }),
    ...(actor !== undefined && { actor }),
    ...(account_id !== undefined && { account_id }),
  };
}

/** What was changed: its kind, and its name or number. */
function Thing({ entry: { entity, key } }: { readonly entry: Pick<Entry, 'entity' | 'key'> }) {
  const t = useTexts({ en, zh });
  const kind = t.things[entity as keyof typeof t.things] ?? entity;
  return ALONE.has(entity) ? kind : t.of(kind, key);
}

/** There is one of each. */
const ALONE: ReadonlySet<string> = new Set(['catalogue', 'registration', 'settings']);

function useColumns(): readonly Column<Entry>[] {
  const t = useTexts({ en, zh });
  const words = useWords();
  return [
    { key: 'at', header: t.time, tone: 'dim', cell: ({ at }) => <Time at={at} look="list" /> },
    {
      key: 'actor',
      header: t.who,
      priority: 2,
      cell: ({ actor_email }) => actor_email ?? <Dim>{t.terminal}</Dim>,
    },
    { key: 'action', header: t.action, main: true, cell: (entry) => <Action entry={entry} /> },
    {
      key: 'key',
      header: t.what,
      tone: 'sub',
      priority: 1,
      cell: (entry) => <Thing entry={entry} />,
    },
    {
      ...{ key: 'change', header: t.change, tone: 'sub', priority: 3, width: '34%' },
      cell: (entry) => <Cut>{summaryOf(entry, words)}</Cut>,
    },
    {
      ...{ key: 'address', header: t.address, tone: 'dim', align: 'right', priority: 3 },
      cell: ({ address }) => <Mono>{address === '' ? '–' : address}</Mono>,
    },
  ];
}

/** Every change by an operator. The filters and the open entry are in the address. */
export function Audit() {
  const t = useTexts({ en, zh });
  const search = operatorAuditRoute.useSearch();
  const navigate = operatorAuditRoute.useNavigate();
  const filter = filterOf(search);
  const list = useApi('listAuditEntries', { query: { page: search.page ?? 1, size: SIZE, ...filter } });
  const rows = list.data?.data;
  const at = rows?.findIndex(({ id }) => id === search.entry) ?? -1;
  const open = rows?.[at];
  const go = (entry: number | undefined) => void navigate({ search: (now) => ({ ...now, entry }) });
  const close = useCallback(
    () => void navigate({ search: (now) => ({ ...now, entry: undefined }) }),
    [navigate],
  );
  const neighbour = (step: number) => {
    const next = rows?.[at + step];
    return next === undefined ? undefined : () => go(next.id);
  };
  const drawer = open !== undefined && (
    <EntryDrawer
      entry={open}
      onClose={close}
      onPrevious={at > 0 ? neighbour(-1) : undefined}
      onNext={neighbour(1)}
    />
  );
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Split drawer={drawer}>
      <Page>
        <PageHead title={t.title} lead={list.data && t.counted(count(list.data.total))} />
        <AuditFilters />
        <ReadError query={list} />
        <Table
          label={t.title}
          columns={useColumns()}
          rows={rows}
          rowKey={({ id }) => String(id)}
          rowLink={({ id }) => ({
            to: '/operator/audit',
            search: ((now: object) => ({ ...now, entry: id })) as never,
          })}
          openKey={open === undefined ? undefined : String(open.id)}
          empty={
            <Empty
              plain={isFiltered}
              title={isFiltered ? t.emptyFiltered : t.empty}
              action={
                isFiltered && <Button onClick={() => void navigate({ search: {} })}>{t.dropFilters}</Button>
              }
            >
              {isFiltered ? undefined : t.emptyText}
            </Empty>
          }
        />
        <Pages
          answer={list.data}
          onPage={(page) => void navigate({ search: (now) => ({ ...now, page, entry: undefined }) })}
        />
      </Page>
    </Split>
  );
}

interface EntryDrawerProps {
  readonly entry: Entry;
  readonly onClose: () => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

function EntryDrawer({ entry, ...rest }: EntryDrawerProps) {
  const t = useTexts({ en, zh });
  return (
    <Drawer label={entry.action} title={<Action entry={entry} />} {...rest}>
      <DrawerSection>
        <FactList
          facts={[
            { name: t.time, value: <Time at={entry.at} look="exact" /> },
            { name: t.who, value: entry.actor_email ?? t.terminal },
            { name: t.address, value: <Mono>{entry.address === '' ? '–' : entry.address}</Mono> },
            { name: t.what, value: <Thing entry={entry} /> },
            { name: t.apiName, value: <Mono>{entry.action}</Mono> },
          ]}
        />
      </DrawerSection>
      <DrawerSection title={t.change}>
        <Changes entry={entry} />
      </DrawerSection>
    </Drawer>
  );
}
