import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/api.ts';
import { Section } from '../../parts/page/layout.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { money } from '../../parts/text/format.ts';
import { Tag } from '../../parts/text/status.tsx';
import { Mono } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './plan.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { figure, type Limits, type Policy, windowWords } from './windows.ts';

export function LimitsInWords() {
  const t = useTexts({ en, zh });
  const limits = useApi('getLimits', {}).data?.data;
  const policy = limits?.scopes.find(({ scope }) => scope === 'account')?.policy ?? null;
  return (
    <Section title={t.inWords} note={policy === null ? undefined : <Tag mono>{policy.name}</Tag>}>
      {limits === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <div className={css.columns}>
          <AtOnce policy={policy} />
          <Windows policy={policy} />
          <Coverage coverage={limits.coverage} />
        </div>
      )}
    </Section>
  );
}

function AtOnce({ policy }: { readonly policy: Policy | null }) {
  const t = useTexts({ en, zh });
  if (policy === null || policy.concurrency === null) return <p>{t.words.noConcurrency}</p>;
  return (
    <p>
      {t.words.runs} <b>{t.words.callsAtOnce(policy.concurrency)}</b>
      {t.words.oneMore} <Mono>42901</Mono> {t.words.untilOneEnds}
    </p>
  );
}

function Windows({ policy }: { readonly policy: Policy | null }) {
  const t = useTexts({ en, zh });
  if (policy === null || policy.windows.length === 0) return <p>{t.words.noWindows}</p>;
  return (
    <div>
      <p>{t.words.mayUse}</p>
      <ul>
        {policy.windows.map(({ dimension, seconds, limit }) => (
          <li key={`${dimension} ${seconds}`}>
            <b>{t.words.amounts[dimension](figure(limit, dimension))}</b>{' '}
            {t.words.inWindow(windowWords(seconds, t))}
          </li>
        ))}
      </ul>
      <p>
        {t.words.countsFrom} <Mono>42902</Mono> {t.words.or} <Mono>42903</Mono>
        {t.words.nothingCharged}
      </p>
    </div>
  );
}

function Coverage({ coverage }: { readonly coverage: Limits['coverage'] }) {
  const t = useTexts({ en, zh });
  const billing = useApi('getBalanceAndSwitches', {}).data?.data.api_billing;
  const past = billing === false ? t.words.refusedPast : t.words.creditsPast;
  if (coverage === null) {
    return (
      <p>
        {billing === false ? t.words.noPlanNoBilling : t.words.noPlanBilling}{' '}
        <Link to="/wallet">{t.words.change}</Link>
      </p>
    );
  }
  return (
    <div>
      <p>{t.words.planPays}</p>
      <ul>
        {coverage.windows.map(({ seconds, amount }) => (
          <li key={seconds}>
            <b>{money(amount)}</b> {t.words.inWindow(windowWords(seconds, t))}
          </li>
        ))}
      </ul>
      <p>
        {past} <Link to="/wallet">{t.words.change}</Link>
      </p>
    </div>
  );
}
