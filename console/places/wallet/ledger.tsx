import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { type Row, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useLive } from '../../app/live.ts';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { Pager } from '../../parts/page/pager.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { count, credits, money } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { Good, Mono } from '../../parts/text/text.tsx';
import { clock, day, exactTime, longDay } from '../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { POOLS, walletRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './wallet.module.css';

type Entry = Row<'listBalanceChanges'>;

const SIZE = 50;
const DAY_MS = 86_400_000;

/** Every movement of both pools, with what it left behind. */
export function Ledger() {
  const t = useTexts({ en, zh });
  const { pool, page = 1 } = walletRoute.useSearch();
  const navigate = walletRoute.useNavigate();
  const query = { page, size: SIZE, ...(pool !== undefined && { pool }) };
  const ledger = useApi('listBalanceChanges', { query }, { placeholderData: (before) => before });
  // Money has moved: told at most every two seconds, however many calls there were.
  useLive(
    'account',
    useCallback(() => void queries.invalidateQueries({ queryKey: ['listBalanceChanges'] }), []),
  );
  const columns = useColumns();
  const group = useDays();
  const total = ledger.data?.total ?? 0;
  const turn = (to: number) =>
    void navigate({ search: (now) => ({ ...now, page: to > 1 ? to : undefined }) as never });
  const first = (page - 1) * SIZE + 1;
  return (
    <Section
      title={t.ledger}
      note={t.ledgerNote}
      right={
        <Segmented
          size="sm"
          label={t.pool}
          value={pool ?? 'all'}
          onChange={(next) => void navigate({ search: next === 'all' ? {} : { pool: next }, replace: true })}
          options={[
            { value: 'all' as const, label: t.all },
            ...POOLS.map((value) => ({ value, label: t.pools[value] })),
          ]}
        />
      }
    >
      {ledger.isError && (
        <ErrorNote
          cause={t.ledgerUnread}
          requestId={ledger.error.requestId}
          onRetry={() => void ledger.refetch()}
          retrying={ledger.isFetching}
        />
      )}
      {!(ledger.isError && ledger.data === undefined) && (
        <Table
          label={t.ledger}
          columns={columns}
          rows={ledger.data?.data}
          rowKey={({ id }) => String(id)}
          group={group}
          skeletonRows={12}
          empty={
            <Empty plain title={t.noEntries}>
              {t.noEntriesHow}
            </Empty>
          }
        />
      )}
      {total > 0 && (
        <Pager
          onNewer={page > 1 ? () => turn(page - 1) : undefined}
          onOlder={page * SIZE < total ? () => turn(page + 1) : undefined}
        >
          {t.shown(count(first), count(Math.min(page * SIZE, total)), count(total))}
        </Pager>
      )}
    </Section>
  );
}

function useDays() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const now = useNow(60_000);
  return ({ created_at }: Entry) => {
    const key = day(created_at);
    const written = longDay(created_at, now, language);
    const label =
      key === day(now) ? t.today(written) : key === day(now - DAY_MS) ? t.yesterday(written) : written;
    return { key, label };
  };
}

function useColumns(): readonly Column<Entry>[] {
  const t = useTexts({ en, zh });
  return [
    {
      key: 'time',
      header: t.time,
      tone: 'dim',
      cell: ({ created_at: at }) => <time title={exactTime(at)}>{clock(at)}</time>,
    },
    { key: 'kind', header: t.kind, cell: (entry) => <Kind entry={entry} /> },
    { key: 'for', header: t.what, tone: 'sub', priority: 2, cell: (entry) => <What entry={entry} /> },
    { key: 'ref', header: t.reference, priority: 3, cell: (entry) => <Reference entry={entry} /> },
    { key: 'change', header: t.change, align: 'right', cell: (entry) => <Change entry={entry} /> },
    { key: 'pool', header: t.poolShort, tone: 'sub', priority: 1, cell: ({ pool }) => t.pools[pool] },
    {
      key: 'left',
      header: t.left,
      align: 'right',
      cell: ({ pool, after }) => (pool === 'balance' ? money(after) : credits(after)),
    },
  ];
}

/** On a phone it is the way to the call: the reference has no room there. */
function Kind({ entry }: { readonly entry: Entry }) {
  const t = useTexts({ en, zh });
  const { kind, call_id: callId } = entry;
  if (callId === null || isUnlogged(entry)) return t.kinds[kind];
  return (
    <Link to="/calls" search={{ call: callId } as never} className={css.kind}>
      {t.kinds[kind]}
    </Link>
  );
}

/** The call is in the log when its job ends. */
function isUnlogged({ kind, model }: Entry): boolean {
  return kind === 'hold' && model === null;
}

function What({ entry }: { readonly entry: Entry }) {
  const t = useTexts({ en, zh });
  const { kind, call_id: callId, model, ref, change } = entry;
  if (kind === 'exchange') return callId === null ? t.exchanged : t.exchangedForCall;
  if (kind === 'hold') return change.startsWith('-') ? t.heldForJob : t.returnedByJob;
  if (callId !== null) return model ?? '–';
  return (
    <span className={css.reason} title={ref}>
      {ref}
    </span>
  );
}

function Reference({ entry }: { readonly entry: Entry }) {
  if (entry.call_id === null) return <span className={css.none}>–</span>;
  if (isUnlogged(entry)) return <Mono className={css.ref}>{entry.call_id}</Mono>;
  return (
    <Link to="/calls" search={{ call: entry.call_id } as never} title={entry.call_id}>
      <Mono className={css.ref}>{entry.call_id}</Mono>
    </Link>
  );
}

function Change({ entry }: { readonly entry: Entry }) {
  const { pool, change } = entry;
  const written = pool === 'balance' ? money(change, { signed: true }) : credits(change, { signed: true });
  return change.startsWith('-') ? written : <Good>{written}</Good>;
}
