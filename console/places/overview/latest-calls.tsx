import { Link } from '@tanstack/react-router';
import { Section } from '../../parts/page/layout.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { count, duration, NOTHING } from '../../parts/text/format.ts';
import { Dot, type DotTone } from '../../parts/text/status.tsx';
import { Dim, Unit } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { CodePill } from '../calls/list/code-pill.tsx';
import { costOf } from '../calls/list/cost.tsx';
import type { UsageTexts } from '../usage/figures.ts';
import { en as usageEn } from '../usage/texts.en.ts';
import { zh as usageZh } from '../usage/texts.zh.ts';
import type { Latest, LatestCall } from './latest-data.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

function toneOf({ verdict }: LatestCall): DotTone {
  return verdict === 'complete' ? 'ok' : verdict === 'cut-by-client' ? 'warn' : 'bad';
}

function Model({ call }: { readonly call: LatestCall }) {
  return (
    <span className={css.model}>
      <Dot tone={toneOf(call)} />
      <span>{call.model_used === '' ? call.model_id : call.model_used}</span>
      {call.error_code !== null && <CodePill code={call.error_code} />}
    </span>
  );
}

function Spoken({ call, words }: { readonly call: LatestCall; readonly words: UsageTexts }) {
  const { protocol, upstream_protocol: upstream } = call;
  return (
    <>
      {words.protocols[protocol]}
      {upstream !== null && upstream !== protocol && <Dim> → {words.protocols[upstream]}</Dim>}
    </>
  );
}

function Wait({ ms }: { readonly ms: number | null }) {
  const { figure, unit } = duration(ms);
  return (
    <>
      {figure}
      {unit !== '' && <Unit>{unit}</Unit>}
    </>
  );
}

function columnsOf(t: typeof en.latest, words: UsageTexts): readonly Column<LatestCall>[] {
  const right = { align: 'right' } as const;
  const tokens = ({ input_tokens: input, output_tokens: output, images }: LatestCall): string => {
    if (images > 0) return t.images(count(images));
    return input + output === 0 ? NOTHING : count(input + output);
  };
  return [
    { key: 'time', header: t.time, tone: 'dim', cell: (call) => <Time at={call.created_at} look="list" /> },
    { key: 'model', header: t.model, main: true, cell: (call) => <Model call={call} /> },
    {
      ...{ key: 'spoken', header: t.spoken, tone: 'sub', priority: 2 },
      cell: (call) => <Spoken call={call} words={words} />,
    },
    {
      ...{ key: 'key', header: t.key, tone: 'sub', priority: 3 },
      cell: (call) => <span className={css.keyName}>{call.key_name}</span>,
    },
    { key: 'tokens', header: t.tokens, ...right, priority: 2, cell: tokens },
    {
      ...{ key: 'firstToken', header: t.firstToken, ...right, priority: 3 },
      cell: (call) => <Wait ms={call.ttft_ms} />,
    },
    { key: 'cost', header: t.cost, ...right, cell: (call) => costOf(call, t.payers) },
  ];
}

/** The newest calls, as they end. */
export default function LatestCalls({ calls, isNew }: Latest) {
  const t = useTexts({ en, zh });
  const words = useTexts({ en: usageEn, zh: usageZh });
  return (
    <Section title={t.latest.title} right={<Link to="/calls">{t.latest.all}</Link>}>
      <Table
        label={t.latest.title}
        columns={columnsOf(t.latest, words)}
        rows={calls}
        rowKey={({ request_id: id }) => id}
        rowLink={({ request_id: id }) => ({ to: '/calls', search: { call: id } })}
        isNew={isNew}
        skeletonRows={8}
      />
    </Section>
  );
}
