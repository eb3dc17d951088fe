import { keepPreviousData } from '@tanstack/react-query';
import { ApiError, type Data, useApi } from '../../../../api/api.ts';
import { useServerTimes } from '../../../../app/server-time.ts';
import { Segmented } from '../../../../parts/form/segmented.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { DrawerSection } from '../../../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../../../parts/page/skeleton.tsx';
import { count, money } from '../../../../parts/text/format.ts';
import { Bad, Dim, Good } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { PERIODS, type Period } from '../search.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';

type Priced = Data<'pricePastCallsWithCatalogueFile'>['total'];

const HOURS: Readonly<Record<Exclude<Period, 'yesterday'>, number>> = { '24h': 24, '7d': 168, '30d': 720 };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const BUSY = 429;

/** The start stands still for a minute, so that the same question is asked once. */
function fromOf(period: Period, write: (timeMs: number) => string): string | undefined {
  if (period === 'yesterday') return undefined;
  return write(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - HOURS[period] * HOUR_MS);
}

function useWhatIf(yaml: string, period: Period, enabled: boolean) {
  const { write } = useServerTimes();
  const from = fromOf(period, write);
  const body = { yaml, extent: 'whole', ...(from !== undefined && { from }) } as const;
  return useApi(
    'pricePastCallsWithCatalogueFile',
    { body },
    {
      ...{ enabled, placeholderData: keepPreviousData, gcTime: MINUTE_MS, staleTime: MINUTE_MS },
      // The server prices for one operator at a time.
      retry: (_count, error) => error instanceof ApiError && (error.isPassing || error.status === BUSY),
    },
  );
}

const ROWS = ['revenue', 'cost', 'margin'] as const;

function Difference({ amount, isGood }: { readonly amount: string; readonly isGood: boolean }) {
  const written = money(amount, { currency: '', signed: true });
  if (/^[-−+]?0*(\.0*)?$/.test(amount)) return <Dim>0</Dim>;
  return isGood ? <Good>{written}</Good> : <Bad>{written}</Bad>;
}

function Figures({ priced }: { readonly priced: Priced }) {
  const t = useCatalogueTexts().whatIf;
  return (
    <table className={css.whatIf} aria-label={t.title}>
      <thead>
        <tr>
          <th scope="col">{t.calls(count(priced.calls))}</th>
          <th scope="col">{t.was}</th>
          <th scope="col">{t.wouldBe}</th>
          <th scope="col">{t.difference}</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map((name) => (
          <tr key={name}>
            <th scope="row">{t[name]}</th>
            <td>{money(priced.was[name])}</td>
            <td>{money(priced.would_be[name])}</td>
            <td>
              <Difference
                amount={priced.difference[name]}
                isGood={priced.difference[name].startsWith('-') === (name === 'cost')}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface WhatIfProps {
  readonly page: CataloguePageProps;
  readonly yaml: string;
  /** The file was compared and has no problem. Until then the figures before stay. */
  readonly isReady: boolean;
}

/** Past calls, priced with the draft. */
export function WhatIf({ page, yaml, isReady }: WhatIfProps) {
  const t = useCatalogueTexts().whatIf;
  const { search, onSearch } = page;
  const { period = 'yesterday', model } = search;
  const asked = useWhatIf(yaml, period, isReady);
  const answer = asked.data?.data;
  const own = model === undefined ? undefined : answer?.models.find(({ model_id }) => model_id === model);
  const shown = search.calls === 'all' || own === undefined ? answer?.total : own;
  return (
    <DrawerSection
      title={t.title}
      note={
        <Select
          size="sm"
          aria-label={t.period}
          value={period}
          onChange={(chosen) => onSearch({ period: chosen }, { replace: true })}
          options={PERIODS.map((value) => ({ value, label: t.periods[value] }))}
        />
      }
    >
      {own !== undefined && model !== undefined && (
        <Segmented
          {...{ label: t.scope, size: 'sm' }}
          value={search.calls ?? 'model'}
          onChange={(calls) => onSearch({ calls: calls === 'all' ? 'all' : undefined }, { replace: true })}
          options={[
            { value: 'model', label: model },
            { value: 'all', label: t.allCalls },
          ]}
        />
      )}
      {asked.isError ? (
        <ErrorNote
          cause={t.failed}
          remedy={asked.error.message}
          requestId={asked.error.requestId}
          onRetry={() => void asked.refetch()}
        />
      ) : shown === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <Figures priced={shown} />
      )}
      {answer !== undefined && <Notes answer={answer} />}
    </DrawerSection>
  );
}

function Notes({ answer }: { readonly answer: Data<'pricePastCallsWithCatalogueFile'> }) {
  const t = useCatalogueTexts().whatIf;
  const { total, truncated, priced_from: from, not_offered_calls: gone, rerouted_calls: other } = answer;
  const notes = [
    total.calls === 0 ? t.noCalls : t.explained(answer.from, answer.to),
    total.calls === 0 ? '' : t.costIs,
    truncated && from !== null ? t.truncated(from) : '',
    gone > 0 ? t.notOffered(count(gone)) : '',
    other > 0 ? t.rerouted(count(other)) : '',
  ];
  return (
    <p className={css.note}>
      <Dim>{notes.filter((note) => note !== '').join(' ')}</Dim>
    </p>
  );
}
