import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/api.ts';
import { FactList } from '../../parts/figures/facts.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { credits, money, NOTHING } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** What the account has, what its plan covers, and what it may spend. */
export function Funds() {
  const t = useTexts({ en, zh }).funds;
  const account = useApi('getBalanceAndSwitches', {}).data?.data;
  const coverage = useApi('getLimits', {}).data?.data.coverage;
  const [window] = coverage?.windows ?? [];
  const hasCap = account !== undefined && !/^0(?:\.0*)?$/.test(account.extra_api_quota);
  const spent = money(account?.month_spent);
  const facts = [
    { key: 'credits', name: t.credits, value: <b>{credits(account?.credits)}</b> },
    { key: 'balance', name: t.balance, value: money(account?.balance) },
    ...(coverage && window !== undefined
      ? [
          {
            key: 'coverage',
            name: t.covers(coverage.plan),
            value: t.used(window.used === null ? NOTHING : money(window.used), money(window.amount)),
          },
        ]
      : []),
    hasCap
      ? { key: 'cap', name: t.cap, value: t.used(spent, money(account.extra_api_quota)) }
      : { key: 'spent', name: t.spent, value: spent },
  ];
  return (
    <Section title={t.title} right={<Link to="/wallet">{t.wallet}</Link>}>
      <FactList facts={facts} />
    </Section>
  );
}
