import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Columns, Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count, money } from '../../../parts/text/format.ts';
import { Dim, Row } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { usePolicies } from '../use-names.ts';
import css from './account.module.css';
import type { Account } from './data.ts';
import { CancelPlanDialog } from './dialogs.tsx';
import { AuditList, Calls } from './lists.tsx';
import { Side } from './side.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const CALLS = 6;
const ENTRIES = 5;
const KEYS = 6;

export function Summary({ account }: { readonly account: Account }) {
  return (
    <Columns side={<Side account={account} />}>
      <div className={css.two}>
        <div>
          <PlanAndRates account={account} />
        </div>
        <div>
          <KeysInShort account={account} />
        </div>
      </div>
      <Calls account={account} first={CALLS} />
      <AuditList account={account} first={ENTRIES} />
    </Columns>
  );
}

type Subscription = Account['subscriptions'][number];

function PlanAndRates({ account }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const policies = usePolicies();
  const settings = useApi('getSettings', {}, { staleTime: 60_000 }).data?.data;
  const [cancelled, setCancelled] = useState<Subscription>();
  const running = account.subscriptions.filter(({ status }) => status === 'active' || status === 'upcoming');
  const policy = policies.find(({ id }) => id === account.policy_id);
  return (
    <Section title={t.planAndRates}>
      <FactList
        facts={[
          ...(running.length === 0 ? [{ name: t.plan, value: <Dim>{t.noPlan}</Dim> }] : []),
          ...running.map((each) => ({
            ...{ key: String(each.id), name: each.status === 'active' ? t.plan : t.planNext },
            value: (
              <Row className={css.end}>
                <b>{each.plan}</b>
                <span>
                  {t.until} <Time at={each.ends_at} />
                </span>
                <Button
                  size="xs"
                  variant="ghost"
                  aria-label={t.plans.cancelTitle(each.plan)}
                  onClick={() => setCancelled(each)}
                >
                  {t.plans.cancel}
                </Button>
              </Row>
            ),
          })),
          { name: t.policy, value: policy?.name ?? (account.policy_id === null ? t.noPolicy : '–') },
          { name: t.userRate, value: t.percent(account.user_rate) },
          { name: t.systemRate, value: settings === undefined ? '–' : t.percent(settings.system_rate) },
          {
            name: t.billing,
            value: account.api_billing ? t.billingOn(money(account.month_spent)) : t.off,
          },
          { name: t.exchange, value: account.auto_exchange ? t.on : t.off },
          { name: t.fallback, value: account.fallback_model ?? t.off },
          { name: t.byokFallback, value: account.byok_fallback ? t.on : t.off },
        ]}
      />
      {cancelled !== undefined && (
        <CancelPlanDialog
          account={account}
          subscription={cancelled}
          onClose={() => setCancelled(undefined)}
        />
      )}
    </Section>
  );
}

type Key = Account['keys'][number];

function KeysInShort({ account }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const usage = useApi('getUsageByKeyOfAccount', { params: { account_id: account.id } }).data?.data;
  const used = (key: Key) => usage?.find(({ key_id }) => key_id === key.id);
  const columns: readonly Column<Key>[] = [
    { key: 'name', header: t.key, cell: ({ name }) => name },
    { key: 'calls', header: t.calls, align: 'right', tone: 'sub', cell: (key) => count(used(key)?.calls) },
    {
      key: 'spend',
      header: t.spend,
      align: 'right',
      cell: (key) => money(used(key)?.amount, { decimals: 6 }),
    },
  ];
  return (
    <Section
      title={t.tabs.keys}
      note={t.keysNote(account.keys_total)}
      right={
        <Link
          to="/operator/accounts/$id"
          params={{ id: String(account.id) }}
          search={{ tab: 'keys' as const }}
        >
          {t.all}
        </Link>
      }
    >
      <Table
        label={t.tabs.keys}
        columns={columns}
        rows={account.keys.slice(0, KEYS)}
        rowKey={(key) => String(key.id)}
        isOff={({ status }) => status === 'disabled'}
        empty={<Empty plain title={t.noKeys} />}
      />
    </Section>
  );
}
