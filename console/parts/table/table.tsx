import { Fragment } from 'react';
import { classes } from '../classes.ts';
import type { TableProps } from './columns.ts';
import { BodyRow, Foot, GroupRow, Head, SkeletonRows } from './rows.tsx';
import styles from './table.module.css';

export type { Column, Sort, TableProps } from './columns.ts';

/** A list. Its columns leave by priority when the place gets narrow. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, rowKey, empty, tall, sticky } = props;
  if (rows !== undefined && rows.length === 0 && empty !== undefined) return empty;
  return (
    <div className={classes(styles.frame, sticky && styles.sticky)}>
      <table
        className={classes(styles.table, tall && styles.tall)}
        aria-label={label}
        aria-busy={rows === undefined ? true : undefined}
      >
        <Head {...props} />
        <tbody>
          {rows === undefined ? (
            <SkeletonRows table={props} />
          ) : (
            rows.map((row, at) => (
              <Fragment key={rowKey(row)}>
                <GroupRow table={props} row={row} before={rows[at - 1]} />
                <BodyRow table={props} row={row} />
              </Fragment>
            ))
          )}
        </tbody>
        <Foot table={props} />
      </table>
    </div>
  );
}
