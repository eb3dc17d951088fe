import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count, money, percent } from '../../../parts/text/format.ts';
import { VendorMark } from '../../../parts/text/status.tsx';
import { Bad, Dim, Good, Mono, Row } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useVendorNames } from '../use-names.ts';
import type { Overview, Shown } from './data.ts';
import css from './overview.module.css';
import type { Period } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Sales = Overview['sales'] & { readonly name: string };

interface MoneyProps {
  readonly shown: Shown;
  readonly period: Period;
  readonly by: 'vendor' | 'model';
  readonly onBy: (by: 'vendor' | 'model') => void;
}

const ROWS_MAX = 8;

function rowsOf({ overview }: Shown, by: 'vendor' | 'model'): readonly Sales[] | undefined {
  const rows =
    by === 'vendor'
      ? overview?.vendors.map((each) => ({ ...each, name: each.vendor }))
      : overview?.models.map((each) => ({ ...each, name: each.model_id }));
  return rows?.toSorted((one, other) => Number(other.revenue) - Number(one.revenue));
}

function Margin({ sales }: { readonly sales: Overview['sales'] }) {
  const written = money(sales.margin, { signed: true });
  return sales.margin.startsWith('-') ? <Bad>{written}</Bad> : <Good>{written}</Good>;
}

function shareOf({ margin, revenue }: Overview['sales']): string {
  return percent(Number(margin) / Number(revenue));
}

/** How much of the revenue was cost. Its length compares the rows. */
function CostBar({ sales, most }: { readonly sales: Sales; readonly most: number }) {
  const [revenue, cost] = [Number(sales.revenue), Number(sales.cost)];
  const whole = Math.max(revenue, cost);
  if (whole === 0 || most === 0) return null;
  return (
    <span className={css.costBar} style={{ width: `${(whole / most) * 100}%` }} aria-hidden="true">
      <i style={{ width: `${(Math.min(cost, revenue) / whole) * 100}%` }} />
      <b className={cost > revenue ? css.loss : undefined} />
    </span>
  );
}

function useColumns(by: 'vendor' | 'model', most: number): readonly Column<Sales>[] {
  const t = useTexts({ en, zh });
  const vendorName = useVendorNames();
  return [
    {
      ...{ key: 'name', header: t.by[by] },
      cell: ({ name }) =>
        by === 'model' ? (
          <Mono>{name}</Mono>
        ) : (
          <Row>
            <VendorMark name={vendorName(name)} />
            {vendorName(name)}
          </Row>
        ),
    },
    { key: 'revenue', header: t.revenue, align: 'right', cell: ({ revenue }) => money(revenue) },
    { key: 'cost', header: t.cost, align: 'right', tone: 'sub', cell: ({ cost }) => money(cost) },
    { key: 'margin', header: t.margin, align: 'right', cell: (sales) => <Margin sales={sales} /> },
    { key: 'share', header: t.share, align: 'right', tone: 'sub', priority: 1, cell: shareOf },
    {
      ...{ key: 'bar', header: t.costAndMargin, priority: 2, width: '18%' },
      cell: (sales) => <CostBar sales={sales} most={most} />,
    },
  ];
}

export function Money({ shown, period, by, onBy }: MoneyProps) {
  const t = useTexts({ en, zh });
  const [isAll, setAll] = useState(false);
  const rows = rowsOf(shown, by);
  const most = Math.max(
    0,
    ...(rows ?? []).map(({ revenue, cost }) => Math.max(Number(revenue), Number(cost))),
  );
  const columns = useColumns(by, most);
  const { sales, traffic } = shown.overview ?? {};
  return (
    <Section
      title={t.moneyBy[by]}
      note={t.periods[period]}
      right={
        <Segmented
          label={t.groupBy}
          size="sm"
          value={by}
          onChange={onBy}
          options={(['vendor', 'model'] as const).map((value) => ({ value, label: t.by[value] }))}
        />
      }
    >
      <Table
        label={t.moneyBy[by]}
        columns={columns}
        rows={isAll ? rows : rows?.slice(0, ROWS_MAX)}
        rowKey={({ name }) => name}
        skeletonRows={5}
        empty={
          <Empty plain title={t.noSales.title}>
            {t.noSales.text}
          </Empty>
        }
        foot={
          sales && {
            ...{
              name: <b>{t.all}</b>,
              revenue: <b>{money(sales.revenue)}</b>,
              cost: <b>{money(sales.cost)}</b>,
            },
            ...{ margin: <Margin sales={sales} />, share: shareOf(sales) },
          }
        }
      />
      {rows !== undefined && rows.length > ROWS_MAX && (
        <Button variant="ghost" size="sm" onClick={() => setAll(!isAll)}>
          {isAll ? t.showFewer : t.showAll(rows.length)}
        </Button>
      )}
      {traffic !== undefined && (
        <p className={css.moneyNote}>
          <Dim>
            {t.moneyNote} {t.notPaid(money(traffic.covered), count(traffic.byok_calls), traffic.byok_calls)}
          </Dim>
        </p>
      )}
    </Section>
  );
}
