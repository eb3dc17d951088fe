import { BarCell } from '../../parts/figures/shares.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { count, duration, money, NOTHING, percent } from '../../parts/text/format.ts';
import { Swatch } from '../../parts/text/status.tsx';
import { Unit } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import {
  changeOf,
  changeText,
  colourOf,
  failedShare,
  filterOfGroup,
  type Sums,
  shareOf,
  type Usage,
  type UsageGroup,
} from './data.ts';
import { groupName, type UsageTexts } from './figures.ts';
import { filtersOf, SORTS, type SortKey } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import type { UsageView } from './view.ts';

interface GroupRow extends UsageGroup {
  readonly label: string;
  readonly colour: number;
}

/** By what a column is sorted. Amounts are compared, never added. */
const ORDER: Readonly<Record<SortKey, (row: GroupRow) => number | string>> = {
  name: ({ label }) => label,
  calls: ({ total }) => total.calls,
  input: ({ total }) => total.input_tokens,
  cached: ({ total }) => shareOf(total.cache_read_tokens, total.input_tokens),
  output: ({ total }) => total.output_tokens,
  failed: ({ total }) => total.failed,
  firstToken: ({ total }) => total.ttft_ms ?? -1,
  spend: ({ total }) => Number(total.amount),
  before: ({ before }) => Number(before?.amount ?? 0),
  change: ({ total, before }) => changeOf(total.amount, before?.amount) ?? Number.NEGATIVE_INFINITY,
};

/** All others together stay at the end. */
function sortRows(rows: readonly GroupRow[], key: SortKey, isUp: 1 | undefined): readonly GroupRow[] {
  const order = ORDER[key];
  const sign = isUp === 1 ? 1 : -1;
  return rows.toSorted((one, other) => {
    if ((one.group === null) !== (other.group === null)) return one.group === null ? 1 : -1;
    const [a, b] = [order(one), order(other)];
    if (typeof a === 'string' || typeof b === 'string') return sign * String(a).localeCompare(String(b));
    return a === b ? 0 : sign * (a - b);
  });
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

function Output({ sums, t }: { readonly sums: Sums; readonly t: UsageTexts }) {
  if (sums.images > 0 && sums.output_tokens === 0) {
    return (
      <>
        {count(sums.images)}
        <Unit>{t.table.images(count(sums.images))}</Unit>
      </>
    );
  }
  return sums.output_tokens === 0 ? NOTHING : count(sums.output_tokens);
}

const cached = (sums: Sums): string =>
  sums.input_tokens === 0 ? NOTHING : percent(shareOf(sums.cache_read_tokens, sums.input_tokens));
const tokens = (value: number): string => (value === 0 ? NOTHING : count(value));

function changeCell(now: Sums, before: Sums | null, t: UsageTexts): string {
  if (before === null) return NOTHING;
  const change = changeOf(now.amount, before.amount);
  if (change !== undefined) return changeText(change);
  return before.calls === 0 && now.calls > 0 ? t.table.isNew : NOTHING;
}

function nameColumn(view: UsageView, t: UsageTexts): Column<GroupRow> {
  return {
    key: 'name',
    header: t.groupings[view.search.by ?? 'model'],
    main: true,
    sortable: true,
    cell: ({ label, colour }) => (
      <span className={css.group}>
        <Swatch series={colour} />
        <span>{label}</span>
      </span>
    ),
  };
}

function columnsOf(view: UsageView, usage: Usage | undefined, t: UsageTexts): readonly Column<GroupRow>[] {
  const right = { align: 'right', sortable: true } as const;
  const all = usage?.total.amount ?? '0';
  const most = Math.max(...(usage?.groups ?? []).map(({ total }) => Number(total.amount)), 0);
  const { table } = t;
  const compared: readonly Column<GroupRow>[] = [
    {
      ...{ key: 'before', header: table.before, ...right, priority: 2, tone: 'sub' },
      cell: ({ before }) => money(before?.amount),
    },
    { key: 'change', header: table.change, ...right, cell: (row) => changeCell(row.total, row.before, t) },
  ];
  return [
    nameColumn(view, t),
    {
      ...{ key: 'calls', header: table.calls, ...right, priority: 1 },
      cell: ({ total }) => count(total.calls),
    },
    {
      ...{ key: 'input', header: table.input, ...right, priority: 3 },
      cell: ({ total }) => tokens(total.input_tokens),
    },
    {
      ...{ key: 'cached', header: table.cached, ...right, priority: 3, tone: 'sub' },
      cell: ({ total }) => cached(total),
    },
    {
      ...{ key: 'output', header: table.output, ...right, priority: 3 },
      cell: ({ total }) => <Output sums={total} t={t} />,
    },
    {
      ...{ key: 'failed', header: table.failed, ...right, priority: 2 },
      cell: ({ total }) => count(total.failed),
    },
    {
      ...{ key: 'firstToken', header: table.firstToken, ...right, priority: 3 },
      cell: ({ total }) => <Wait ms={total.ttft_ms} />,
    },
    { key: 'spend', header: table.spend, ...right, cell: ({ total }) => <b>{money(total.amount)}</b> },
    {
      ...{ key: 'share', header: table.share, priority: 2 },
      cell: ({ total, colour }) => (
        <span className={css.share}>
          <BarCell ratio={shareOf(total.amount, most)} series={colour} />
          <span>{percent(shareOf(total.amount, all))}</span>
        </span>
      ),
    },
    ...(view.search.compare === undefined ? compared : []),
  ];
}

function footOf({ total, before }: Usage, t: UsageTexts) {
  return {
    name: t.table.all,
    calls: count(total.calls),
    input: tokens(total.input_tokens),
    cached: cached(total),
    output: <Output sums={total} t={t} />,
    failed: (
      <>
        {count(total.failed)}
        {total.failed > 0 && <Unit>{percent(failedShare(total))}</Unit>}
      </>
    ),
    firstToken: <Wait ms={total.ttft_ms} />,
    spend: money(total.amount),
    before: money(before?.total.amount),
    change: before === null ? NOTHING : changeCell(total, before.total, t),
  };
}

/** The sums of each group and of all, as the server added them up. A row leads to its calls. */
export function GroupTable({ usage, ...view }: UsageView & { readonly usage: Usage | undefined }) {
  const { search, onSearch } = view;
  const t = useTexts({ en, zh });
  const { by = 'model', sort = 'spend', up } = search;
  const rows = usage?.groups.map((each, place) => ({
    ...each,
    label: groupName(each, by, t),
    colour: colourOf(each.group, place),
  }));
  const period = { from: usage?.from, ...(view.span.to !== undefined && { to: view.span.to }) };
  return (
    <div className={css.table}>
      <Table
        label={t.table.label}
        columns={columnsOf(view, usage, t)}
        rows={rows && sortRows(rows, sort, up)}
        rowKey={({ group }) => group ?? ''}
        rowLink={({ group }) => ({
          to: '/calls',
          search: { ...period, ...filtersOf(search), ...filterOfGroup(by, group) },
        })}
        sort={{ key: sort, direction: up === 1 ? 'up' : 'down' }}
        onSort={({ key, direction }) => {
          const next = SORTS.find((each) => each === key);
          onSearch({
            sort: next === 'spend' ? undefined : next,
            up: direction === 'up' ? 1 : undefined,
          });
        }}
        foot={usage && footOf(usage, t)}
        skeletonRows={5}
      />
    </div>
  );
}
