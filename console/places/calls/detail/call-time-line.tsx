import { TimeLine, type TimeLineRow } from '../../../parts/figures/time-line.tsx';
import { DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { count, credits, duration, written } from '../../../parts/text/format.ts';
import { Dim, WideOnly } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import type { Texts } from '../list/columns.tsx';
import type { CallDetail, Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';

export interface CallTimeLineProps {
  readonly of: Of;
  readonly call: CallDetail;
}

/** When the gate let it in, and when each vendor was asked and answered. */
export function CallTimeLine({ of, call }: CallTimeLineProps) {
  const t = useTexts({ en, zh });
  const gate = gateRow(call, t);
  const rows = [
    ...(gate === undefined ? [] : [gate]),
    ...call.tries.map((_, at) => tryRow({ of, call }, at, t)),
  ];
  return (
    <DrawerSection title={t.timeLine.title} note={noteOf(call, t)}>
      {rows.length === 0 ? <Dim>{t.timeLine.notTried}</Dim> : <TimeLine rows={rows} />}
    </DrawerSection>
  );
}

function noteOf(
  { tries, ttft_ms: firstToken, tokens_per_second: speed, duration_ms: took }: CallDetail,
  t: Texts,
): string {
  const { served, noneServed, firstToken: first, speed: perSecond, took: inAll } = t.timeLine;
  const place = tries.findIndex(({ outcome }) => outcome === 'ok') + 1;
  const who = tries.length === 0 ? [] : [place === 0 ? noneServed : served(place)];
  const parts = [
    ...(firstToken === null ? [inAll(written(duration(took)))] : [first(written(duration(firstToken)))]),
    ...(speed === null ? [] : [perSecond(count(Math.round(speed)))]),
  ];
  return [...who, parts.join(t.comma)].join(t.semicolon);
}

function gateRow({ admitted_ms: admittedMs, held }: CallDetail, t: Texts): TimeLineRow | undefined {
  if (admittedMs === null) return undefined;
  return {
    key: 'gate',
    label: <Dim>{t.timeLine.gate}</Dim>,
    startMs: 0,
    endMs: admittedMs,
    tone: 'gate',
    note: /^0(\.0*)?$/.test(held) ? t.timeLine.admitted : t.timeLine.admittedHeld(credits(held)),
    took: written(duration(admittedMs)),
  };
}

function tryRow({ of, call }: CallTimeLineProps, at: number, t: Texts): TimeLineRow {
  const attempt = call.tries[at];
  if (attempt === undefined) throw new Error('there is no such attempt');
  const { vendor, route_id: route, credential, outcome, duration_ms: tookMs } = attempt;
  const startMs = attempt.start_ms ?? 0;
  const isServed = outcome === 'ok';
  const who = of === 'all' || credential === undefined ? credential : undefined;
  return {
    key: String(at),
    label: (
      <>
        {vendor}{' '}
        <Dim>
          <WideOnly>{who ?? t.timeLine.route}</WideOnly> {route}
        </Dim>
      </>
    ),
    icon: isServed ? 'check' : 'x',
    startMs,
    endMs: startMs + tookMs,
    firstByteMs: isServed ? (attempt.first_byte_ms ?? undefined) : undefined,
    tone: isServed ? 'good' : 'bad',
    note: isServed ? undefined : (t.timeLine.outcomes[outcome] ?? outcome),
    took: written(duration(tookMs)),
  };
}
