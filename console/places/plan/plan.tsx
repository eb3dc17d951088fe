import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/api.ts';
import { FactList } from '../../parts/figures/facts.tsx';
import { Tile, Tiles } from '../../parts/figures/tiles.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Columns, Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { count, money } from '../../parts/text/format.ts';
import { Money } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { longDay } from '../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { LimitsInWords } from './limits-in-words.tsx';
import { LiveWindows } from './live-windows.tsx';
import css from './plan.module.css';
import { PlansOnOffer } from './plans-on-offer.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export function Plan() {
  const t = useTexts({ en, zh });
  return (
    <Page>
      <PageHead title={t.title} lead={t.lead} />
      <Current />
      <Columns
        side={
          <>
            <LiveWindows />
            <Covers />
          </>
        }
      >
        <PlansOnOffer />
        <LimitsInWords />
      </Columns>
    </Page>
  );
}

/** The plan of the account, when it ends, and what it has paid for so far. */
function Current() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const answer = useApi('getLimitsOfSubscription', {});
  const plans = useApi('listOfferedPlans', {}).data?.data;
  if (answer.isError && answer.data === undefined) {
    return (
      <ErrorNote
        cause={t.unread}
        requestId={answer.error.requestId}
        onRetry={() => void answer.refetch()}
        retrying={answer.isFetching}
      />
    );
  }
  if (answer.data === undefined) return <Waiting />;
  const current = answer.data.data.subscription;
  if (current === null) return <NoPlan />;
  const offered = plans?.find(({ code }) => code === current.plan);
  const since = longDay(current.starts_at, Date.now(), language);
  return (
    <Tiles label={t.currentPlan}>
      <Tile
        label={t.yourPlan}
        value={current.plan_name}
        note={
          offered === undefined ? t.since(since) : t.priceSince(money(offered.price), offered.days, since)
        }
      />
      <Tile
        label={t.ends}
        value={<Time at={current.ends_at} />}
        note={<EndNote endsAt={current.ends_at} />}
      />
      <Covered since={current.starts_at} />
    </Tiles>
  );
}

function Waiting() {
  const t = useTexts({ en, zh });
  return (
    <Tiles label={t.currentPlan}>
      {[t.yourPlan, t.ends, t.covered].map((label) => (
        <Tile key={label} label={label} value={<Skeleton width="50%" height="32px" />} note=" " />
      ))}
    </Tiles>
  );
}

function EndNote({ endsAt }: { readonly endsAt: string }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const all = useApi('listSubscriptions', { query: { size: 20 } }).data?.data;
  const day = longDay(endsAt, Date.now(), language);
  const next = all?.findLast(({ status }) => status === 'upcoming');
  return next === undefined ? t.endsOn(day) : t.endsThen(day, next.plan_name ?? next.plan);
}

function NoPlan() {
  const t = useTexts({ en, zh });
  const all = useApi('listSubscriptions', { query: { size: 1 } }).data?.data;
  const last = all?.[0];
  return (
    <Tiles label={t.currentPlan}>
      <Tile label={t.yourPlan} value={t.noPlan} note={t.noPlanNote} />
      <Tile
        label={t.lastPlan}
        value={last === undefined ? '–' : (last.plan_name ?? last.plan)}
        note={
          last === undefined ? (
            t.neverHad
          ) : (
            <>
              {t.endedWord} <Time at={last.ends_at} />
            </>
          )
        }
      />
    </Tiles>
  );
}

function Covered({ since }: { readonly since: string }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const payers = useApi('getUsageByPayer', { query: { from: since } }).data?.data;
  const covered = payers?.find(({ payer }) => payer === 'subscription');
  const label = t.coveredSince(longDay(since, Date.now(), language));
  if (payers === undefined) {
    return <Tile label={label} value={<Skeleton width="50%" height="32px" />} note=" " />;
  }
  return (
    <Tile
      label={label}
      value={<Money dimDecimals>{money(covered?.amount ?? '0')}</Money>}
      note={t.coveredCalls(count(covered?.calls ?? 0), covered?.calls ?? 0)}
    />
  );
}

function Covers() {
  const t = useTexts({ en, zh });
  const coverage = useApi('getLimits', {}).data?.data.coverage;
  const models =
    coverage === undefined || coverage === null
      ? '–'
      : coverage.models === '*'
        ? t.everyModel
        : coverage.models.join(', ');
  return (
    <Section title={t.whatItCovers}>
      <FactList
        facts={[
          { name: t.models, value: models },
          { name: t.not, value: t.notCovered },
          { name: t.order, value: t.orderOfPayers },
        ]}
      />
      <p className={css.words}>
        {t.changeHow} <Link to="/wallet">{t.toWallet}</Link>
      </p>
    </Section>
  );
}
