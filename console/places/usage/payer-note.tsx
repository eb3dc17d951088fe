import { keepPreviousData } from '@tanstack/react-query';
import { useApi } from '../../api/api.ts';
import { count, credits, money } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { filtersOf } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import type { UsageView } from './view.ts';

/** Who paid what of the period. */
export function PayerNote({ search, span }: UsageView) {
  const t = useTexts({ en, zh });
  const query = { from: span.from, ...(span.to !== undefined && { to: span.to }), ...filtersOf(search) };
  const payers = useApi('getUsageByPayer', { query }, { placeholderData: keepPreviousData }).data?.data;
  const of = (name: string) => payers?.find(({ payer }) => payer === name);
  const [own, plan, byok] = [of('credits'), of('subscription'), of('byok')];
  return (
    <p className={css.fine}>
      <span>{t.fine.intro}</span>
      {own !== undefined && <span>{t.fine.credits(credits(own.credits))}</span>}
      {plan !== undefined && <span>{t.fine.plan(money(plan.amount))}</span>}
      {byok !== undefined && <span>{t.fine.byok(count(byok.calls))}</span>}
    </p>
  );
}
