import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { useCrumb } from '../../../app/crumb.ts';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Stat, Stats } from '../../../parts/figures/stat.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { Tabs } from '../../../parts/page/tabs.tsx';
import { Avatar } from '../../../parts/text/avatar.tsx';
import { count, credits, money, NOTHING, percent } from '../../../parts/text/format.ts';
import { Badge, Pill, Tag } from '../../../parts/text/status.tsx';
import { Row, Sub } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { ReadError } from '../shared.tsx';
import css from './account.module.css';
import { type Account, useAccount } from './data.ts';
import { Limits } from './limits.tsx';
import { AuditList, Calls, Credentials, Keys, Ledger, Sessions } from './lists.tsx';
import { MoneyDialog } from './money-dialog.tsx';
import { Notes } from './notes.tsx';
import { operatorAccountRoute, TABS, type Tab } from './route.ts';
import { Summary } from './summary.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { Usage } from './usage.tsx';

/** One account: all that its user sees, and what only an operator may do. */
export function AccountPage() {
  const t = useTexts({ en, zh });
  const id = Number(operatorAccountRoute.useParams().id);
  const query = useAccount(Number.isSafeInteger(id) ? id : 0);
  const account = query.data?.data;
  useCrumb(account?.email);
  if (account === undefined) {
    return (
      <Page>
        <PageHead title={t.title} />
        {query.isError && query.error.status === 404 ? (
          <Empty title={t.unknown} action={<LinkButton to="/operator/accounts">{t.toAccounts}</LinkButton>} />
        ) : (
          <ReadError query={query} />
        )}
        {query.isPending && <SkeletonLines lines={8} />}
      </Page>
    );
  }
  return (
    <Page>
      <Head account={account} />
      <Tiles account={account} />
      <Parts account={account} />
    </Page>
  );
}

function Head({ account }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const [isOpen, setOpen] = useState(false);
  const { id, email, status, role } = account;
  return (
    <PageHead
      title={
        <Row>
          <Avatar name={email} />
          <span className={css.name}>{email}</span>
        </Row>
      }
      lead={
        <Row wrap>
          <Pill tone={status === 'enabled' ? 'ok' : 'bad'}>{t.states[status]}</Pill>
          {role === 'operator' && <Tag>{t.roles.operator}</Tag>}
          <span>
            {t.number(id)} <Time at={account.created_at} />
          </span>
        </Row>
      }
    >
      <LinkButton variant="ghost" icon="list" to="/operator/calls" search={{ account_id: id }}>
        {t.itsCalls}
      </LinkButton>
      <Button variant="primary" icon="plus" onClick={() => setOpen(true)}>
        {t.topUp}
      </Button>
      {isOpen && <MoneyDialog account={account} kind="top-up" onClose={() => setOpen(false)} />}
    </PageHead>
  );
}

function Tiles({ account }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const usage = useApi('getUsageOverviewOfAccount', { params: { account_id: account.id } }).data?.data;
  const month = usage?.month;
  const [figure = NOTHING, unit] = percent(month && month.failed / month.calls).split(' ');
  return (
    <Stats>
      <Stat label={t.balance} value={money(account.balance)}>
        <Sub className={css.foot}>{account.auto_exchange ? t.exchangesItself : t.exchangesByHand}</Sub>
      </Stat>
      <Stat label={t.credits} value={credits(account.credits)}>
        <Sub className={css.foot}>{account.api_billing ? t.paysWithCredits : t.paysWithPlan}</Sub>
      </Stat>
      <Stat label={t.monthSpent} value={money(account.month_spent)}>
        <Sub className={css.foot}>
          {/^0*(?:\.0*)?$/.test(account.extra_api_quota) ? t.noCap : t.cap(money(account.extra_api_quota))}
        </Sub>
      </Stat>
      <Stat label={t.monthCalls} value={count(month?.calls)}>
        <Sub className={css.foot}>{usage && t.callsInAll(count(usage.total.calls))}</Sub>
      </Stat>
      <Stat label={t.monthFailed} value={figure} unit={unit}>
        <Sub className={css.foot}>{month && t.failedOf(count(month.failed), count(month.calls))}</Sub>
      </Stat>
    </Stats>
  );
}

function Parts({ account }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const { tab = 'summary' } = operatorAccountRoute.useSearch();
  const navigate = operatorAccountRoute.useNavigate();
  const sizes: Readonly<Partial<Record<Tab, number>>> = {
    keys: account.keys_total,
    credentials: account.credentials.length,
  };
  const views: Readonly<Record<Tab, (props: { readonly account: Account }) => React.ReactNode>> = {
    ...{ summary: Summary, calls: Calls, usage: Usage, ledger: Ledger, keys: Keys, limits: Limits },
    ...{ credentials: Credentials, sessions: Sessions, audit: AuditList, notes: Notes },
  };
  const View = views[tab];
  return (
    <div className={css.tabs}>
      <Tabs
        label={t.parts}
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'summary' ? undefined : next }, replace: true })
        }
        tabs={TABS.map((value) => ({
          value,
          label: (
            <>
              {t.tabs[value]}
              {(sizes[value] ?? 0) > 0 && <Badge>{count(sizes[value])}</Badge>}
            </>
          ),
        }))}
      >
        <View account={account} />
      </Tabs>
    </div>
  );
}
