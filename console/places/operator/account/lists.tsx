import { Link } from '@tanstack/react-router';
import { fileAddress, type Row as RowOf, useApi, useApiWrite } from '../../../api/api.ts';
import { useServerTimes } from '../../../app/server-time.ts';
import { AnchorButton } from '../../../parts/button.tsx';
import { Switch } from '../../../parts/form/choice.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count, credits, money } from '../../../parts/text/format.ts';
import { Status, Tag } from '../../../parts/text/status.tsx';
import { Cut, Dim, Good, Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { callColumns } from '../../calls/list/columns.tsx';
import { en as callsEn } from '../../calls/texts.en.ts';
import { zh as callsZh } from '../../calls/texts.zh.ts';
import { Action, summaryOf, useWords } from '../audit/changes.tsx';
import { Pages, ReadError, WriteError } from '../shared.tsx';
import { usePolicies, useVendorNames } from '../use-names.ts';
import { type Account, CHANGED } from './data.ts';
import { operatorAccountRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface ListProps {
  readonly account: Account;
  /** The first rows only, as a part of the summary. */
  readonly first?: number | undefined;
}

const SIZE = 50;
const LONG = ['attempts', 'requestId', 'cached', 'firstToken'] as const;
const SHORT = [...LONG, 'spoken', 'input'] as const;

function usePage() {
  const { page = 1 } = operatorAccountRoute.useSearch();
  const navigate = operatorAccountRoute.useNavigate();
  return {
    page,
    onPage: (next: number) => void navigate({ search: (now) => ({ ...now, page: next }) }),
  };
}

/** The newest calls. The rest, with filters, is a place of its own. */
export function Calls({ account: { id }, first }: ListProps) {
  const t = useTexts({ en, zh });
  const callTexts = useTexts({ en: callsEn, zh: callsZh });
  const times = useServerTimes();
  const calls = useApi('browseCallsOfAccount', {
    params: { account_id: id },
    query: { size: first ?? SIZE },
  });
  const hidden = first === undefined ? LONG : SHORT;
  return (
    <Section
      title={t.recentCalls}
      right={
        <Link to="/operator/calls" search={{ account_id: id, period: '30d' }}>
          {t.allOfAccount}
        </Link>
      }
    >
      <ReadError query={calls} />
      <Table
        label={t.recentCalls}
        columns={callColumns({ of: 'own', hidden, t: callTexts, times })}
        rows={calls.data?.data.calls}
        rowKey={({ request_id }) => request_id}
        rowLink={({ request_id }) => ({
          to: '/operator/calls',
          search: { account_id: id, period: '30d' as const, call: request_id },
        })}
        skeletonRows={first ?? 8}
        empty={
          <Empty plain title={t.noCalls}>
            {t.noCallsText}
          </Empty>
        }
      />
    </Section>
  );
}

type Change = RowOf<'listBalanceChangesOfAccount'>;

export function Ledger({ account: { id } }: ListProps) {
  const t = useTexts({ en, zh });
  const { page, onPage } = usePage();
  const params = { account_id: id };
  const list = useApi('listBalanceChangesOfAccount', { params, query: { page, size: SIZE } });
  const shown = (pool: Change['pool'], amount: string, signed: boolean) =>
    pool === 'balance' ? money(amount, { signed }) : credits(amount, { signed });
  const columns: readonly Column<Change>[] = [
    {
      key: 'time',
      header: t.time,
      tone: 'dim',
      cell: ({ created_at }) => <Time at={created_at} look="list" />,
    },
    { key: 'kind', header: t.kind, cell: ({ kind }) => t.kinds[kind] },
    { key: 'pool', header: t.money.pool, tone: 'sub', priority: 1, cell: ({ pool }) => t.money.pools[pool] },
    {
      ...{ key: 'ref', header: t.reference, tone: 'sub', priority: 2, width: '30%' },
      cell: ({ ref }) =>
        ref.startsWith('req_') ? (
          <Link to="/operator/calls" search={{ account_id: id, call: ref }}>
            <Mono>{ref}</Mono>
          </Link>
        ) : (
          ref
        ),
    },
    {
      ...{ key: 'change', header: t.change, align: 'right' },
      cell: ({ pool, change }) =>
        change.startsWith('-') ? shown(pool, change, true) : <Good>{shown(pool, change, true)}</Good>,
    },
    {
      ...{ key: 'after', header: t.after, align: 'right', tone: 'sub', priority: 1 },
      cell: ({ pool, after }) => shown(pool, after, false),
    },
  ];
  return (
    <Section
      title={t.tabs.ledger}
      right={
        <AnchorButton
          size="sm"
          icon="download"
          download
          href={fileAddress('exportBalanceChangesOfAccount', { params })}
        >
          {t.csv}
        </AnchorButton>
      }
    >
      <ReadError query={list} />
      <Table
        label={t.tabs.ledger}
        columns={columns}
        rows={list.data?.data}
        rowKey={({ id: entry }) => String(entry)}
        empty={<Empty plain title={t.noLedger} />}
      />
      <Pages answer={list.data} onPage={onPage} />
    </Section>
  );
}

type Key = RowOf<'listKeysOfAccount'>;

export function Keys({ account: { id } }: ListProps) {
  const t = useTexts({ en, zh });
  const { page, onPage } = usePage();
  const list = useApi('listKeysOfAccount', { params: { id }, query: { page, size: SIZE } });
  const usage = useApi('getUsageByKeyOfAccount', { params: { account_id: id } }).data?.data;
  const policies = usePolicies();
  const write = useApiWrite('updateKeyOfAccount', CHANGED);
  const used = (key: Key) => usage?.find(({ key_id }) => key_id === key.id);
  const columns: readonly Column<Key>[] = [
    { key: 'name', header: t.key, cell: ({ name }) => name },
    {
      key: 'prefix',
      header: t.prefix,
      tone: 'sub',
      priority: 2,
      cell: ({ prefix }) => <Mono>{prefix}…</Mono>,
    },
    {
      ...{ key: 'policy', header: t.policy, priority: 3 },
      cell: ({ policy_id: own }) =>
        own === null ? (
          <Dim>–</Dim>
        ) : (
          <Tag>{policies.find((each) => each.id === own)?.name ?? String(own)}</Tag>
        ),
    },
    { key: 'calls', header: t.calls, align: 'right', priority: 1, cell: (key) => count(used(key)?.calls) },
    {
      key: 'spend',
      header: t.spend,
      align: 'right',
      cell: (key) => money(used(key)?.amount, { decimals: 6 }),
    },
    {
      ...{ key: 'used', header: t.lastUsed, align: 'right', tone: 'dim', priority: 2 },
      cell: ({ last_used_at: at }) => (at === null ? '–' : <Time at={at} />),
    },
    {
      ...{ key: 'expires', header: t.expires, align: 'right', tone: 'dim', priority: 3 },
      cell: ({ expires_at: at }) => (at === null ? '–' : <Time at={at} />),
    },
    {
      ...{ key: 'status', header: t.enabled, align: 'right' },
      cell: (key) => (
        <Switch
          aria-label={t.enableKey(key.name)}
          checked={key.status === 'enabled'}
          disabled={write.isPending}
          onChange={(on) =>
            write.mutate({
              params: { id, key_id: key.id },
              body: { status: on ? 'enabled' : 'disabled' },
            })
          }
        />
      ),
    },
  ];
  return (
    <Section title={t.tabs.keys} note={t.last30}>
      <ReadError query={list} />
      <WriteError error={write.error} />
      <Table
        label={t.tabs.keys}
        columns={columns}
        rows={list.data?.data}
        rowKey={(key) => String(key.id)}
        isOff={({ status }) => status === 'disabled'}
        empty={<Empty plain title={t.noKeys} />}
      />
      <Pages answer={list.data} onPage={onPage} />
    </Section>
  );
}

type Credential = RowOf<'listByokCredentialsOfAccount'>;

export function Credentials({ account: { id } }: ListProps) {
  const t = useTexts({ en, zh });
  const vendorName = useVendorNames();
  const list = useApi('listByokCredentialsOfAccount', { params: { account_id: id }, query: { size: 100 } });
  const usage = useApi('getUsageOfByokCredentialsOfAccount', { params: { account_id: id } }).data?.data;
  const used = (own: Credential) => usage?.find((each) => each.id === own.id);
  const columns: readonly Column<Credential>[] = [
    { key: 'name', header: t.name, cell: ({ name }) => name },
    { key: 'vendor', header: t.vendor, tone: 'sub', cell: ({ vendor_code }) => vendorName(vendor_code) },
    {
      key: 'secret',
      header: t.secret,
      tone: 'sub',
      priority: 2,
      cell: (own) => <Mono>{own.secret_hint}</Mono>,
    },
    { key: 'address', header: t.address, tone: 'sub', priority: 3, cell: ({ base_url }) => base_url ?? '–' },
    { key: 'calls', header: t.calls, align: 'right', cell: (own) => count(used(own)?.calls ?? 0) },
    {
      key: 'failed',
      header: t.failed,
      align: 'right',
      priority: 1,
      cell: (own) => count(used(own)?.failed ?? 0),
    },
    {
      ...{ key: 'status', header: t.state, align: 'right' },
      cell: ({ status }) => <Status tone={status === 'enabled' ? 'ok' : 'off'}>{t.states[status]}</Status>,
    },
  ];
  return (
    <Section title={t.tabs.credentials} note={t.last30}>
      <ReadError query={list} />
      <Table
        label={t.tabs.credentials}
        columns={columns}
        rows={list.data?.data}
        rowKey={(own) => String(own.id)}
        skeletonRows={3}
        empty={<Empty plain title={t.noCredentials} />}
      />
    </Section>
  );
}

type Session = RowOf<'listSessionsOfAccount'>;

export function Sessions({ account: { id } }: ListProps) {
  const t = useTexts({ en, zh });
  const list = useApi('listSessionsOfAccount', { params: { id } });
  const columns: readonly Column<Session>[] = [
    { key: 'agent', header: t.sessions.agent, width: '46%', cell: ({ user_agent: agent }) => agent || '–' },
    { key: 'kind', header: t.kind, tone: 'sub', priority: 2, cell: ({ kind }) => t.sessions.kinds[kind] },
    {
      key: 'address',
      header: t.address,
      tone: 'sub',
      priority: 1,
      cell: ({ address }) => <Mono>{address}</Mono>,
    },
    {
      ...{ key: 'seen', header: t.sessions.seen, align: 'right' },
      cell: ({ last_seen_at: at }) => <Time at={at} />,
    },
    {
      ...{ key: 'since', header: t.sessions.since, align: 'right', tone: 'dim', priority: 3 },
      cell: ({ created_at: at }) => <Time at={at} />,
    },
  ];
  return (
    <Section title={t.tabs.sessions}>
      <ReadError query={list} />
      <Table
        label={t.tabs.sessions}
        columns={columns}
        rows={list.data?.data}
        rowKey={(each) => `${each.created_at} ${each.address} ${each.user_agent} ${each.expires_at}`}
        skeletonRows={3}
        empty={<Empty plain title={t.sessions.none} />}
      />
    </Section>
  );
}

type Entry = RowOf<'listAuditEntries'>;

/** What operators did to this account. */
export function AuditList({ account: { id }, first }: ListProps) {
  const t = useTexts({ en, zh });
  const { page, onPage } = usePage();
  const words = useWords();
  const query = useApi('listAuditEntries', {
    query: { account_id: id, ...(first === undefined ? { page, size: SIZE } : { size: first }) },
  });
  const columns: readonly Column<Entry>[] = [
    { key: 'time', header: t.time, tone: 'dim', cell: ({ at }) => <Time at={at} look="list" /> },
    { key: 'action', header: t.action, main: true, cell: (entry) => <Action entry={entry} /> },
    {
      ...{ key: 'change', header: t.change, tone: 'sub', priority: 2, width: '40%' },
      cell: (entry) => <Cut>{summaryOf(entry, words)}</Cut>,
    },
    {
      ...{ key: 'who', header: t.byWhom, align: 'right', tone: 'sub', priority: 1 },
      cell: (entry) => entry.actor_email ?? t.terminal,
    },
  ];
  return (
    <Section
      title={t.tabs.audit}
      note={t.auditNote}
      right={
        first !== undefined && (
          <Link to="/operator/audit" search={{ account_id: id }}>
            {t.all}
          </Link>
        )
      }
    >
      <ReadError query={query} />
      <Table
        label={t.tabs.audit}
        columns={columns}
        rows={query.data?.data}
        rowKey={(entry) => String(entry.id)}
        rowLink={(entry) => ({
          to: '/operator/audit',
          search: { account_id: id, entry: entry.id },
        })}
        skeletonRows={3}
        empty={<Empty plain title={t.noAudit} />}
      />
      {first === undefined && <Pages answer={query.data} onPage={onPage} />}
    </Section>
  );
}
