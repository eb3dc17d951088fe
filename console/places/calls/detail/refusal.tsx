import { CodeBlock } from '../../../parts/code/code-block.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Meter } from '../../../parts/figures/meter.tsx';
import { DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { count, credits, money } from '../../../parts/text/format.ts';
import { useNow } from '../../../parts/text/now.ts';
import { Mono } from '../../../parts/text/text.tsx';
import { CountDown, Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from '../drawer.module.css';
import type { Texts } from '../list/columns.tsx';
import type { CallDetail, Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import { errorAnswer } from './error-body.ts';
import { Remedies, useResetMs } from './remedies.tsx';

type RefusalData = NonNullable<CallDetail['refusal']>;
type Limit = NonNullable<RefusalData['limit']>;

interface RefusalProps {
  readonly of: Of;
  readonly call: CallDetail;
}

/** Why a call was refused or failed, when it would pass, and what to do about it. */
export function Refusal({ of, call }: RefusalProps) {
  const t = useTexts({ en, zh }).refusal;
  const limit = call.refusal?.limit ?? undefined;
  return (
    <>
      <DrawerSection
        title={call.verdict === 'refused' ? t.title : t.failed}
        note={limit && <Whose limit={limit} />}
      >
        {limit === undefined ? (
          <p className={css.say}>{call.refusal?.message ?? t.vendor}</p>
        ) : (
          <LimitHit limit={limit} />
        )}
      </DrawerSection>
      {of === 'own' && call.error_code !== null && <Remedies call={call} limit={limit} />}
      {call.refusal !== null && !isOfJob(call) && <ClientSaw call={call} refusal={call.refusal} />}
    </>
  );
}

/** The client got the job. It failed later, and the gateway has refused nothing. */
function isOfJob({ status, error_code: code }: CallDetail): boolean {
  return code === null && status >= 400;
}

function Whose({ limit }: { readonly limit: Limit }) {
  const t = useTexts({ en, zh }).refusal;
  return (
    <>
      {limit.policy !== null && (
        <>
          {t.policy} <Mono>{limit.policy}</Mono>,{' '}
        </>
      )}
      {t.counted[limit.scope]}
    </>
  );
}

function amountOf(limit: Limit, figure: string, t: Texts): string {
  if (limit.unit === 'yuan') return money(figure);
  return limit.unit === 'credits' ? t.drawer.credits(credits(figure)) : count(figure);
}

function sayOf(limit: Limit, t: Texts): string {
  const { says, whose, units, window } = t.refusal;
  const { dimension, seconds } = limit;
  const most = amountOf(limit, limit.limit, t);
  const span = window(seconds ?? 60);
  if (dimension === 'concurrency') return says.concurrency(whose[limit.scope], most);
  if (dimension === 'coverage') return says.coverage(most, span);
  if (dimension === 'cap') return says.cap(most);
  if (dimension === 'credits') {
    return says.credits(amountOf(limit, limit.needed ?? '0', t), amountOf(limit, limit.limit, t));
  }
  const unit = dimension === 'amount' ? (figure: string) => figure : units[dimension];
  return says.window(whose[limit.scope], unit(most), span);
}

const ZERO = /^0(\.0*)?$/;

/** Lack of money is not a window: only what was there and what was needed are known. */
function LimitHit({ limit }: { readonly limit: Limit }) {
  const t = useTexts({ en, zh });
  const words = t.refusal;
  const { dimension, used, held, needed, seconds } = limit;
  const show = (figure: string) => amountOf(limit, figure, t);
  // How full the bar is drawn is no figure that anybody reads.
  const part = Number(used) / Number(limit.limit);
  return (
    <>
      <p className={css.say}>{sayOf(limit, t)}</p>
      {dimension !== 'credits' && (
        <Meter
          label={words.dimensions[dimension]}
          window={seconds === null ? undefined : words.window(seconds)}
          used={show(used)}
          limit={show(limit.limit)}
          ratio={Number.isFinite(part) ? part : 1}
          note={<Opens limit={limit} />}
        />
      )}
      <FactList
        facts={[
          ...(needed === null ? [] : [{ name: words.needed, value: show(needed) }]),
          ...(ZERO.test(held) ? [] : [{ name: words.ofWhichHeld, value: show(held) }]),
        ]}
      />
    </>
  );
}

/** Counts down until the limit opens again, and then says since when it is open. */
function Opens({ limit }: { readonly limit: Limit }) {
  const t = useTexts({ en, zh }).refusal;
  const resetMs = useResetMs(limit);
  const now = useNow();
  if (resetMs === undefined) return null;
  return resetMs > now ? (
    <>
      {t.opensIn} <CountDown until={resetMs} />, <Time at={resetMs} look="list" />
    </>
  ) : (
    <>
      {t.opened} <Time at={resetMs} look="list" />
    </>
  );
}

function ClientSaw({ call, refusal }: { readonly call: CallDetail; readonly refusal: RefusalData }) {
  const t = useTexts({ en, zh }).refusal;
  const isAnswer = call.verdict === 'refused' || call.status >= 400;
  return (
    <DrawerSection title={t.clientSaw} note={t.status}>
      <div className={css.answer}>
        <CodeBlock
          samples={[
            {
              key: 'answer',
              label: t.clientSaw,
              code: isAnswer ? errorAnswer(call, refusal) : refusal.message,
            },
          ]}
        />
      </div>
    </DrawerSection>
  );
}
