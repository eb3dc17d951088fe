import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { classes } from '../classes.ts';
import type { TableProps } from './columns.ts';
import { BodyRow, Head } from './rows.tsx';
import styles from './table.module.css';
import { Table } from './table.tsx';

export interface VirtualTableProps<Row> extends TableProps<Row> {
  /** Called when the reader comes near the end of the rows. */
  readonly onEnd?: (() => void) | undefined;
}

const ROW = 36;
const ROW_TALL = 52;
const NEAR_END = 20;

/** A long list that scrolls with the page. Only the rows in sight are in the document. */
export function VirtualTable<Row>({ onEnd, ...table }: VirtualTableProps<Row>) {
  if (table.rows === undefined || table.rows.length === 0) return <Table {...table} />;
  return <Window table={table} rows={table.rows} onEnd={onEnd} />;
}

interface WindowProps<Row> {
  readonly table: TableProps<Row>;
  readonly rows: readonly Row[];
  readonly onEnd: (() => void) | undefined;
}

function Window<Row>({ table, rows, onEnd }: WindowProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (frame.current !== null) setTop(frame.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (table.tall === true ? ROW_TALL : ROW),
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : table.rowKey(row);
    },
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const nearEnd = last !== undefined && last.index >= rows.length - NEAR_END;
  useLayoutEffect(() => {
    if (nearEnd) onEnd?.();
  }, [nearEnd, onEnd]);
  const before = first === undefined ? 0 : first.start - top;
  const after = last === undefined ? 0 : virtual.getTotalSize() - (last.end - top);
  return (
    <div ref={frame} className={classes(styles.frame, styles.sticky)}>
      <table
        className={classes(styles.table, table.tall && styles.tall)}
        aria-label={table.label}
        aria-rowcount={rows.length + 1}
      >
        <Head {...table} />
        <tbody>
          <Gap height={before} />
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <BodyRow
                key={item.key}
                table={table}
                row={row}
                index={item.index}
                measure={virtual.measureElement}
              />
            );
          })}
          <Gap height={after} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are out of sight. */
function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr className={styles.gap}>
      <td style={{ height }} />
    </tr>
  );
}
