import type { ReactNode } from 'react';
import type { ServerTimes } from '../../../app/server-time.ts';
import type { Column } from '../../../parts/table/table.tsx';
import { count, duration, NOTHING } from '../../../parts/text/format.ts';
import { Dot, type DotTone } from '../../../parts/text/status.tsx';
import { Dim, Mono, Unit } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import css from '../calls.module.css';
import type { Call, Of } from '../search.ts';
import type { en } from '../texts.en.ts';
import { CodePill } from './code-pill.tsx';
import { costOf } from './cost.tsx';

export type Texts = typeof en;
export type ColumnKey = keyof Texts['columns'];

/** Those that are hidden until somebody wants them. */
export const HIDDEN_AT_FIRST: Readonly<Record<Of, readonly ColumnKey[]>> = {
  own: ['requestId', 'cached', 'attempts', 'payer'],
  all: ['requestId', 'cached', 'attempts', 'key', 'payer'],
};
/** Without these a row says nothing. */
export const ALWAYS: readonly ColumnKey[] = ['time', 'status', 'model'];

const OPERATOR_ONLY: readonly ColumnKey[] = ['account', 'vendor'];

export function toneOf({ verdict }: Pick<Call, 'verdict'>): DotTone {
  return verdict === 'complete' ? 'ok' : verdict === 'cut-by-client' ? 'warn' : 'bad';
}

export function Took({ ms }: { readonly ms: number | null }) {
  const { figure, unit } = duration(ms);
  return (
    <>
      {figure}
      {unit !== '' && <Unit>{unit}</Unit>}
    </>
  );
}

/** Names may be long. */
function Name({ children }: { readonly children: string | undefined }) {
  return (
    <span className={css.name} title={children}>
      {children}
    </span>
  );
}

function StatusCell({ call, t }: { readonly call: Call; readonly t: Texts }) {
  const { status, error_code: code, verdict } = call;
  return (
    <span className={css.status}>
      <Dot tone={toneOf(call)} />
      <span>{status}</span>
      {code !== null ? (
        <span className={css.wideCell}>
          <CodePill code={code} />
        </span>
      ) : (
        verdict !== 'complete' && <Dim className={css.wideCell}>{t.verdicts[verdict]}</Dim>
      )}
    </span>
  );
}

function Spoken({ call, t }: { readonly call: Call; readonly t: Texts }) {
  const { protocol, upstream_protocol: upstream } = call;
  return (
    <>
      {t.protocols[protocol]}
      {upstream !== null && upstream !== protocol && <Dim> → {t.protocols[upstream]}</Dim>}
    </>
  );
}

const tokens = (value: number): string => (value === 0 ? NOTHING : count(value));

const CELLS: Readonly<
  Record<ColumnKey, (call: Call, given: { readonly t: Texts; readonly times: ServerTimes }) => ReactNode>
> = {
  time: (call, { times }) => <Time at={times.read(call.created_at)} look="list" />,
  status: (call, { t }) => <StatusCell call={call} t={t} />,
  account: ({ email }) => <Name>{email}</Name>,
  model: ({ model_used: model }) => <Name>{model}</Name>,
  spoken: (call, { t }) => <Spoken call={call} t={t} />,
  key: ({ key_name: name }) => <Name>{name}</Name>,
  input: (call) => tokens(call.input_tokens),
  cached: (call) => tokens(call.cache_read_tokens),
  output: (call, { t }) => (call.images > 0 ? t.images(count(call.images)) : tokens(call.output_tokens)),
  firstToken: (call) => <Took ms={call.ttft_ms} />,
  took: (call) => <Took ms={call.duration_ms} />,
  vendor: ({ vendor }) => vendor ?? NOTHING,
  attempts: (call) => tokens(call.attempts),
  payer: ({ payer }, { t }) => (payer === 'none' ? NOTHING : t.payers[payer]),
  requestId: ({ request_id: id }) => <Mono>{id}</Mono>,
  cost: (call, { t }) => costOf(call, t.payers),
};

const LOOKS: Readonly<Partial<Record<ColumnKey, Partial<Column<Call>>>>> = {
  time: { tone: 'dim' },
  account: { tone: 'sub', priority: 1, width: '22%' },
  model: { main: true },
  spoken: { tone: 'sub', priority: 4 },
  key: { tone: 'sub', priority: 2 },
  input: { align: 'right', priority: 3 },
  cached: { align: 'right', priority: 5 },
  output: { align: 'right', priority: 3 },
  firstToken: { align: 'right', priority: 4 },
  took: { align: 'right', priority: 1 },
  vendor: { tone: 'sub', priority: 4 },
  attempts: { align: 'right', priority: 5 },
  payer: { tone: 'sub', priority: 5 },
  requestId: { tone: 'sub', priority: 2 },
  cost: { align: 'right' },
};

export function columnKeys(of: Of): readonly ColumnKey[] {
  const keys = Object.keys(CELLS) as ColumnKey[];
  return of === 'all' ? keys : keys.filter((key) => !OPERATOR_ONLY.includes(key));
}

export interface ColumnsWanted {
  readonly of: Of;
  readonly hidden: readonly ColumnKey[];
  readonly t: Texts;
  readonly times: ServerTimes;
}

export function callColumns({ of, hidden, t, times }: ColumnsWanted): readonly Column<Call>[] {
  return columnKeys(of)
    .filter((key) => !hidden.includes(key))
    .map((key) => ({
      key,
      header: key === 'time' ? <b className={css.sorted}>{`${t.columns.time} ↓`}</b> : t.columns[key],
      cell: (call: Call) => CELLS[key](call, { t, times }),
      ...LOOKS[key],
    }));
}
