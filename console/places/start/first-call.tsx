import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef } from 'react';
import { type Row, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { type LiveEvents, useLive } from '../../app/live.ts';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { Step } from '../../parts/page/steps.tsx';
import { duration, written } from '../../parts/text/format.ts';
import { Pill } from '../../parts/text/status.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import type { MadeKey } from './key-step.tsx';
import css from './start.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** Comes with the first call. */
const CallReceipt = lazy(async () => {
  const { CallReceipt: Receipt } = await import('../calls/detail/call-receipt.tsx');
  return { default: Receipt };
});

/** Where no events arrive, a look now and then finds the call too. */
const LOOK_MS = 5_000;

export type NewestCall = Row<'listCalls'>;

/** The newest call of the key that was just made, or of the account. */
export function useNewestCall(made: MadeKey | undefined): NewestCall | undefined {
  const query = { size: 1, ...(made !== undefined && { key_id: made.id }) };
  const calls = useApi(
    'listCalls',
    { query },
    {
      refetchInterval: ({ state }) => (state.data?.data.length === 0 ? LOOK_MS : false),
    },
  ).data?.data;
  const look = useCallback((_call: LiveEvents['call']) => {
    void queries.invalidateQueries({ queryKey: ['listCalls'] });
  }, []);
  useLive('call', look);
  return calls?.[0];
}

export interface FirstCallProps {
  readonly made: MadeKey | undefined;
  readonly call: NewestCall | undefined;
}

/** Waits for a call, and shows it. Only one that was answered whole is ticked. */
export function FirstCall({ made, call }: FirstCallProps) {
  const { first: t } = useTexts({ en, zh });
  if (call === undefined) {
    const listening = made === undefined ? undefined : t.listening(<b key="name">{made.name}</b>);
    return (
      <Step number={4} state="wait" title={t.waiting} right={listening}>
        <p>{t.text}</p>
        <div className={css.ghost} aria-hidden="true">
          {['38%', '14%', '62%', '12%', '51%', '16%'].map((width, at) => (
            <Skeleton key={width} width={width} end={at % 2 === 1} />
          ))}
        </div>
        <Help />
      </Step>
    );
  }
  const isGood = call.verdict === 'complete';
  const isRefused = call.verdict === 'refused';
  const failed = isRefused ? t.refused : t.failed;
  return (
    <Step
      number={4}
      state={isGood ? 'done' : 'on'}
      title={isGood ? (made === undefined ? t.newest : t.arrived) : failed}
      right={<Time at={call.created_at} />}
    >
      {!isGood && <p>{isRefused ? t.refusedText : t.failedText}</p>}
      <Arrived call={call} isOwn={made !== undefined} />
    </Step>
  );
}

interface ArrivedProps {
  readonly call: NewestCall;
  /** Made with the key of this page: somebody waits for it. */
  readonly isOwn: boolean;
}

function Arrived({ call, isOwn }: ArrivedProps) {
  const { first: t } = useTexts({ en, zh });
  const place = useRef<HTMLDivElement>(null);
  const detail = useApi('getCall', { params: { id: call.id } }, { staleTime: Number.POSITIVE_INFINITY }).data;
  const isGood = call.verdict === 'complete';
  const isThere = detail !== undefined;
  useEffect(() => {
    if (isOwn && isThere) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isOwn, isThere]);
  return (
    <div ref={place} className={css.arrived}>
      <div className={css.arrivedHead}>
        <b>{call.model_id}</b>
        <span>{written(duration(call.duration_ms))}</span>
        <Pill tone={isGood ? 'ok' : 'bad'} dot={isGood ? 'ok' : 'bad'}>
          {call.error_code ?? call.status}
        </Pill>
        <Link to="/calls" search={{ call: call.request_id }}>
          {t.open}
        </Link>
      </div>
      {detail === undefined && <Skeleton height="160px" />}
      {detail?.data.receipt != null && (
        <Suspense fallback={<Skeleton height="160px" />}>
          <CallReceipt of="own" receipt={detail.data.receipt} />
        </Suspense>
      )}
      {detail !== undefined && detail.data.receipt === null && <p className={css.fine}>{t.noReceipt}</p>}
    </div>
  );
}

function Help() {
  const { help: t } = useTexts({ en, zh });
  return (
    <details className={css.help}>
      <summary>{t.title}</summary>
      <dl>
        <dt>40001</dt>
        <dd>{t.bearer}</dd>
        <dt>40101</dt>
        <dd>{t.key}</dd>
        <dt>40401</dt>
        <dd>{t.path}</dd>
        <dt>40202</dt>
        <dd>
          {t.pay} <Link to="/wallet">{t.wallet}</Link>
        </dd>
      </dl>
    </details>
  );
}
