import type { ReactNode } from 'react';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Status } from '../../parts/text/status.tsx';
import { Cut, Dim } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { useAlertName } from './alert-name.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';
import type { Delivery } from './desk.ts';

export interface DeliveriesProps<Row extends Delivery> {
  readonly label: string;
  /** Undefined while they are read. */
  readonly rows: readonly Row[] | undefined;
  /** Who gets a mail that belongs to no channel. */
  readonly accountOf?: ((row: Row) => ReactNode) | undefined;
  /** At the right end. */
  readonly action?: Column<Row> | undefined;
  readonly empty: ReactNode;
}

/** What was sent, what waits to be tried again, and what could not be sent. Newest first. */
export function Deliveries<Row extends Delivery>(props: DeliveriesProps<Row>) {
  const { label, rows, accountOf, action, empty } = props;
  const t = useTexts({ en, zh });
  const nameOf = useAlertName();
  const columns: readonly Column<Row>[] = [
    {
      ...{ key: 'time', header: t.time, tone: 'dim' },
      cell: ({ created_at: at }) => <Time at={at} look="list" />,
    },
    {
      ...{ key: 'message', header: t.message },
      cell: ({ kind, state }) => (state === 'cleared' ? t.over(nameOf(kind)) : nameOf(kind)),
    },
    {
      ...{ key: 'to', header: t.to, tone: 'sub', priority: 2 },
      cell: (row) => row.channel ?? accountOf?.(row) ?? t.toAccount,
    },
    {
      ...{ key: 'why', header: t.why, tone: 'sub', priority: 3, width: '30%' },
      cell: ({ last_error: why }) => (why === null ? '–' : <Cut title={why}>{why}</Cut>),
    },
    { key: 'state', header: t.state, cell: (row) => <State delivery={row} /> },
    ...(action === undefined ? [] : [action]),
  ];
  return (
    <Table
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => String(id)}
      skeletonRows={3}
      empty={empty}
    />
  );
}

function State({ delivery }: { readonly delivery: Delivery }) {
  const t = useTexts({ en, zh });
  const { status, attempts, last_error: why, next_at: next } = delivery;
  if (status === 'sent') return <Status tone="ok">{t.sent}</Status>;
  if (status === 'dead') return <Status tone="bad">{t.dead}</Status>;
  if (why === null) return <Status tone="live">{t.waiting}</Status>;
  return (
    <Status tone="warn">
      {t.failedTimes(attempts)}
      {next !== null && (
        <Dim>
          {t.triedNext} <Time at={next} />
        </Dim>
      )}
    </Status>
  );
}
