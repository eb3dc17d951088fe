import { Link } from '@tanstack/react-router';
import { useServerTimes } from '../../../app/server-time.ts';
import { credits, duration, money, written } from '../../../parts/text/format.ts';
import { Pill, type PillTone } from '../../../parts/text/status.tsx';
import { Money, Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from '../drawer.module.css';
import { toneOf } from '../list/columns.tsx';
import type { Call, Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';

export interface CallSummaryProps {
  readonly of: Of;
  readonly call: Call;
  /** What it cost the platform, for operators. */
  readonly cost: string | undefined;
}

const UNCHARGED = '0';
const ZERO = /^0(\.0*)?$/;

const PILLS: Readonly<Record<string, PillTone>> = { ok: 'ok', warn: 'warn', bad: 'bad' };

export function CallSummary({ of, call, cost }: CallSummaryProps) {
  const t = useTexts({ en, zh });
  const { status, verdict, error_code: code, model_id: asked, model_used: model } = call;
  const tone = toneOf(call);
  const parts = [String(status), t.verdicts[verdict]].join(' ');
  return (
    <section className={css.summary}>
      <div className={css.what}>
        <div className={css.titleRow}>
          <b className={css.title}>{model}</b>
          <Pill tone={PILLS[tone]} dot={tone}>
            {code === null ? parts : `${parts}, ${code}`}
          </Pill>
        </div>
        <p>
          <Spoken call={call} />
          {' · '}
          {t.drawer.key} <Mono className={css.strong}>{call.key_name}</Mono>
          {' · '}
          <Time at={useServerTimes().read(call.created_at)} />
          {verdict === 'refused' && `, ${t.drawer.tookIn(written(duration(call.duration_ms)))}`}
        </p>
        {asked !== model && <p>{t.drawer.asked(asked)}</p>}
        {of === 'all' && call.account_id !== undefined && (
          <p>
            {t.drawer.account} <Link to={`/operator/accounts/${call.account_id}` as never}>{call.email}</Link>
          </p>
        )}
      </div>
      <div className={css.amount}>
        <Amount call={call} />
        {cost !== undefined && <small>{t.drawer.cost(money(cost, { decimals: 6 }))}</small>}
      </div>
    </section>
  );
}

function Spoken({ call }: { readonly call: Call }) {
  const t = useTexts({ en, zh });
  const { protocol, upstream_protocol: upstream, stream } = call;
  const spoken =
    upstream === null || upstream === protocol
      ? t.protocols[protocol]
      : `${t.protocols[protocol]} → ${t.protocols[upstream]}`;
  return <>{stream ? `${spoken}, ${t.drawer.streamed}` : spoken}</>;
}

function Amount({ call }: { readonly call: Call }) {
  const t = useTexts({ en, zh }).drawer;
  if (call.payer === 'none') {
    return (
      <>
        <b>{t.notCharged}</b>
        <small>{t.nothingHeld}</small>
      </>
    );
  }
  const amount = money(call.amount, { decimals: 6 });
  if (call.free_reason !== null) {
    const why = t.free[call.free_reason];
    return (
      <>
        <Money>{money(UNCHARGED)}</Money>
        <small>{ZERO.test(call.amount) ? why : t.worth(amount, why)}</small>
      </>
    );
  }
  return (
    <>
      <Money>{amount}</Money>
      <small>{t.credits(credits(call.credits))}</small>
    </>
  );
}
