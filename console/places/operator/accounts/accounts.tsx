import { useCallback, useEffect, useState } from 'react';
import { type Row as RowOf, useApi } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { SearchInput } from '../../../parts/form/search-input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { FilterBar } from '../../../parts/page/filter-bar.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { Avatar } from '../../../parts/text/avatar.tsx';
import { count, credits, money } from '../../../parts/text/format.ts';
import { Status, Tag } from '../../../parts/text/status.tsx';
import { Row } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Pages, ReadError } from '../shared.tsx';
import { CreateAccount } from './create.tsx';
import { ACCOUNT_SORTS, type AccountsSearch, operatorAccountsRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Account = RowOf<'listAccounts'>;

const SIZE = 50;
const TYPING_MS = 250;

function useColumns(): readonly Column<Account>[] {
  const t = useTexts({ en, zh });
  return [
    {
      ...{ key: 'email', header: t.account, main: true },
      cell: ({ email }) => (
        <Row>
          <Avatar name={email} />
          {email}
        </Row>
      ),
    },
    {
      ...{ key: 'status', header: t.status },
      cell: ({ status }) => <Status tone={status === 'enabled' ? 'ok' : 'off'}>{t.states[status]}</Status>,
    },
    {
      ...{ key: 'role', header: t.role, priority: 2, tone: 'sub' },
      cell: ({ role }) => (role === 'operator' ? <Tag>{t.roles.operator}</Tag> : t.roles.user),
    },
    {
      ...{ key: 'user_type', header: t.level, priority: 2, tone: 'sub' },
      cell: ({ user_type }) => t.levels[user_type as keyof typeof t.levels] ?? String(user_type),
    },
    {
      ...{ key: 'balance', header: t.balance, align: 'right', priority: 1, sortable: true },
      cell: ({ balance }) => money(balance),
    },
    {
      ...{ key: 'credits', header: t.credits, align: 'right', sortable: true },
      cell: (account) => credits(account.credits),
    },
    {
      ...{ key: 'month_spent', header: t.spent, align: 'right', priority: 2, sortable: true },
      cell: ({ month_spent }) => money(month_spent),
    },
    {
      ...{ key: 'last_seen_at', header: t.seen, align: 'right', tone: 'dim', priority: 2, sortable: true },
      cell: ({ last_seen_at }) => (last_seen_at === null ? t.never : <Time at={last_seen_at} />),
    },
    {
      ...{ key: 'created_at', header: t.since, align: 'right', tone: 'dim', priority: 3, sortable: true },
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      ...{ key: 'id', header: t.number, align: 'right', tone: 'dim', priority: 3 },
      cell: ({ id }) => String(id),
    },
  ];
}

function orderOf({ sort, dir }: Pick<AccountsSearch, 'sort' | 'dir'>) {
  return { ...(sort !== undefined && { sort }), ...(dir === 'up' && { order: 'asc' as const }) };
}

/** All accounts, to be found by e-mail address. */
export function Accounts() {
  const t = useTexts({ en, zh });
  const { email, status, role, sort, dir, page = 1 } = operatorAccountsRoute.useSearch();
  const navigate = operatorAccountsRoute.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const filter = {
    ...(email !== undefined && { email }),
    ...(status !== undefined && { status }),
    ...(role !== undefined && { role }),
  };
  const list = useApi(
    'listAccounts',
    { query: { page, size: SIZE, ...filter, ...orderOf({ sort, dir }) } },
    { placeholderData: (before) => before },
  );
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page>
      <PageHead title={t.title} lead={list.data && t.counted(count(list.data.total), list.data.total)}>
        <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
          {t.create.title}
        </Button>
      </PageHead>
      <Filters />
      <ReadError query={list} />
      <Table
        label={t.title}
        columns={useColumns()}
        rows={list.data?.data}
        rowKey={({ id }) => String(id)}
        rowLink={({ id }) => ({ to: '/operator/accounts/$id', params: { id: String(id) } })}
        sort={{ key: sort ?? ACCOUNT_SORTS[0], direction: dir ?? 'down' }}
        onSort={({ key, direction }) =>
          void navigate({
            search: (now) => ({
              ...{ ...now, page: undefined, sort: ACCOUNT_SORTS.find((each) => each === key) },
              dir: direction === 'up' ? direction : undefined,
            }),
            replace: true,
          })
        }
        isOff={(account) => account.status === 'disabled'}
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
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Filters() {
  const t = useTexts({ en, zh });
  const { status, role } = operatorAccountsRoute.useSearch();
  const navigate = operatorAccountsRoute.useNavigate();
  const set = useCallback(
    (change: AccountsSearch) =>
      void navigate({ search: (now) => ({ ...now, page: undefined, ...change }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar>
      <EmailFilter onEmail={set} />
      <Select
        aria-label={t.status}
        value={status ?? ''}
        onChange={(next) => set({ status: next === '' ? undefined : next })}
        options={[
          { value: '', label: t.anyStatus },
          { value: 'enabled', label: t.states.enabled },
          { value: 'disabled', label: t.states.disabled },
        ]}
      />
      <Select
        aria-label={t.role}
        value={role ?? ''}
        onChange={(next) => set({ role: next === '' ? undefined : next })}
        options={[
          { value: '', label: t.anyRole },
          { value: 'user', label: t.roles.user },
          { value: 'operator', label: t.roles.operator },
        ]}
      />
    </FilterBar>
  );
}

/** The address follows what is typed, a moment later. */
function EmailFilter({ onEmail }: { readonly onEmail: (change: AccountsSearch) => void }) {
  const t = useTexts({ en, zh });
  const { email } = operatorAccountsRoute.useSearch();
  const [typed, setTyped] = useState(email ?? '');
  const [known, setKnown] = useState(email);
  if (known !== email) {
    setKnown(email);
    if (typed.trim() !== (email ?? '')) setTyped(email ?? '');
  }
  useEffect(() => {
    const wanted = typed.trim() === '' ? undefined : typed.trim();
    if (wanted === email) return;
    const timer = setTimeout(() => onEmail({ email: wanted }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, email, onEmail]);
  return <SearchInput value={typed} onChange={setTyped} label={t.search} placeholder={t.search} />;
}
