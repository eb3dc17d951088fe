import { type Data, useApi } from '../../../api/api.ts';
import { Meter } from '../../../parts/figures/meter.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count, money } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import { ReadError } from '../shared.tsx';
import css from './account.module.css';
import type { Account } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Scope = Data<'getLimitsOfAccount'>['scopes'][number];
type Window = NonNullable<Scope['policy']>['windows'][number];

const REFRESH_MS = 5_000;

/** A share of the limit for the length of the bar. The figures stay as the server wrote them. */
function ratio(used: string | number | null, limit: string | number): number {
  return Number(limit) === 0 ? 0 : Number(used ?? 0) / Number(limit);
}

/** The limits of the account and its keys, as they fill. */
export function Limits({ account: { id } }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const limits = useApi(
    'getLimitsOfAccount',
    { params: { account_id: id } },
    { refetchInterval: REFRESH_MS },
  );
  const data = limits.data?.data;
  if (data === undefined) {
    return (
      <Section title={t.tabs.limits}>
        <ReadError query={limits} />
        {limits.isPending && <SkeletonLines lines={5} />}
      </Section>
    );
  }
  const scopes = data.scopes.filter(({ policy }) => policy !== null);
  return (
    <>
      {data.coverage !== null && <Coverage coverage={data.coverage} />}
      {scopes.map((scope) => (
        <OneScope key={`${scope.scope} ${scope.key_id}`} scope={scope} />
      ))}
      {scopes.length === 0 && data.coverage === null && (
        <Section title={t.tabs.limits}>
          <Empty plain title={t.limits.none}>
            {t.limits.noneText}
          </Empty>
        </Section>
      )}
    </>
  );
}

function amountOf(dimension: Window['dimension'], value: string | null): string {
  return dimension === 'amount' ? money(value ?? '0') : count(value ?? '0');
}

function OneScope({ scope }: { readonly scope: Scope }) {
  const t = useTexts({ en, zh });
  const { policy, key_name: keyName } = scope;
  if (policy === null) return null;
  return (
    <Section
      title={scope.scope === 'account' ? t.limits.account : t.limits.key(keyName ?? '')}
      note={policy.name}
    >
      <div className={css.meters}>
        {policy.concurrency !== null && (
          <Meter
            label={t.limits.concurrency}
            used={count(policy.concurrency_used ?? 0)}
            limit={count(policy.concurrency)}
            ratio={ratio(policy.concurrency_used, policy.concurrency)}
          />
        )}
        {policy.windows.map((each) => (
          <Meter
            key={`${each.dimension} ${each.seconds}`}
            label={t.limits.dimensions[each.dimension]}
            window={t.limits.window(each.seconds)}
            used={amountOf(each.dimension, each.used)}
            limit={amountOf(each.dimension, each.limit)}
            ratio={ratio(each.used, each.limit)}
            resetsAt={each.ends_at ?? undefined}
            windowMs={each.seconds * 1_000}
          />
        ))}
      </div>
    </Section>
  );
}

type CoverageData = NonNullable<Data<'getLimitsOfAccount'>['coverage']>;

function Coverage({ coverage }: { readonly coverage: CoverageData }) {
  const t = useTexts({ en, zh });
  const note = coverage.models === '*' ? t.limits.allModels : coverage.models.join(', ');
  return (
    <Section title={t.limits.coverage(coverage.plan)} note={note}>
      <div className={css.meters}>
        {coverage.windows.map((each) => (
          <Meter
            key={each.seconds}
            label={t.limits.covered}
            window={t.limits.window(each.seconds)}
            used={money(each.used ?? '0')}
            limit={money(each.amount)}
            ratio={ratio(each.used, each.amount)}
            resetsAt={each.ends_at ?? undefined}
            windowMs={each.seconds * 1_000}
          />
        ))}
      </div>
    </Section>
  );
}
