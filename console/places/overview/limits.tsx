import { Link } from '@tanstack/react-router';
import type { Data } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { Meter } from '../../parts/figures/meter.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { count, countShort, money, NOTHING, written } from '../../parts/text/format.ts';
import { Mono } from '../../parts/text/text.tsx';
import { type Language, useLanguage, useTexts } from '../../texts/language.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type LimitsInForce = Data<'getLimits'>;
type Scope = LimitsInForce['scopes'][number];
type Policy = NonNullable<Scope['policy']>;
type Window = Policy['windows'][number];

const readAgain = () => void queries.invalidateQueries({ queryKey: ['getLimits'] });
/** Above this a count is written in short. */
const LONG = 100_000;

function figure(amount: string, dimension: Window['dimension'], language: Language): string {
  if (dimension === 'amount') return money(amount);
  const value = Number(amount);
  return value >= LONG ? written(countShort(value, language)) : count(amount);
}

interface WindowMeterProps {
  readonly label: string;
  readonly dimension: Window['dimension'];
  readonly limit: string;
  readonly window: Pick<Window, 'seconds' | 'used' | 'ends_at'>;
}

function WindowMeter({ label, dimension, limit, window }: WindowMeterProps) {
  const t = useTexts({ en, zh }).limits;
  const language = useLanguage();
  const { seconds, used, ends_at: end } = window;
  return (
    <Meter
      label={label}
      window={t.window(seconds)}
      used={used === null ? NOTHING : figure(used, dimension, language)}
      limit={figure(limit, dimension, language)}
      ratio={used === null || Number(limit) === 0 ? 0 : Number(used) / Number(limit)}
      resetsAt={end ?? undefined}
      windowMs={seconds * 1_000}
      onReset={readAgain}
      note={used === null ? t.unknown : end === null ? t.notBegun : undefined}
    />
  );
}

function PolicyMeters({ policy }: { readonly policy: Policy }) {
  const t = useTexts({ en, zh }).limits;
  return (
    <>
      {policy.windows.map((window) => (
        <WindowMeter
          key={`${window.dimension} ${window.seconds}`}
          label={t.dimensions[window.dimension]}
          {...{ dimension: window.dimension, limit: window.limit, window }}
        />
      ))}
      {policy.concurrency !== null && (
        <Meter
          label={t.atOnce}
          used={policy.concurrency_used === null ? NOTHING : count(policy.concurrency_used)}
          limit={count(policy.concurrency)}
          ratio={policy.concurrency === 0 ? 0 : (policy.concurrency_used ?? 0) / policy.concurrency}
        />
      )}
    </>
  );
}

/** Keys with limits of their own that are shown here; all of them stand on the page of the plan. */
const KEYS_SHOWN = 2;

/** The limits in force and how much of them is used, as it changes. */
export function Limits({ limits }: { readonly limits: LimitsInForce | undefined }) {
  const t = useTexts({ en, zh }).limits;
  const account = limits?.scopes.find(({ scope }) => scope === 'account')?.policy ?? undefined;
  const keys = (limits?.scopes ?? []).filter(({ scope, policy }) => scope === 'key' && policy !== null);
  const isEmpty = account === undefined && keys.length === 0 && limits?.coverage === null;
  return (
    <Section
      title={t.title}
      right={
        account === undefined ? (
          <Link to="/plan">{t.plan}</Link>
        ) : (
          <span className={css.note}>
            {t.policy} <Mono>{account.name}</Mono>
            {t.perAccount}
          </span>
        )
      }
    >
      {isEmpty && <p className={css.none}>{t.none}</p>}
      {account !== undefined && <PolicyMeters policy={account} />}
      {limits?.coverage?.windows.map((window) => (
        <WindowMeter
          key={window.seconds}
          label={t.coverage}
          {...{ dimension: 'amount', limit: window.amount, window }}
        />
      ))}
      {keys.slice(0, KEYS_SHOWN).map(
        ({ key_id: id, key_name: name, policy }) =>
          policy !== null && (
            <div key={id} className={css.keyLimits}>
              <p className={css.note}>
                {t.ofKey} <Mono>{name ?? id}</Mono>
                {t.withPolicy} <Mono>{policy.name}</Mono>
              </p>
              <PolicyMeters policy={policy} />
            </div>
          ),
      )}
    </Section>
  );
}
