import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Checkbox } from '../form/choice.tsx';
import { Icon } from '../icons/icon.tsx';
import { Skeleton } from '../page/skeleton.tsx';
import { usePartTexts } from '../texts.ts';
import type { Column, TableProps } from './columns.ts';
import styles from './table.module.css';

export function cellClass<Row>(column: Column<Row>): string {
  return classes(
    column.align === 'right' && styles.right,
    column.priority !== undefined && styles[`p${column.priority}`],
    column.tone !== undefined && styles[column.tone],
    column.width !== undefined && styles.cut,
  );
}

function SortButton<Row>({
  column,
  sort,
  onSort,
}: { readonly column: Column<Row> } & Pick<TableProps<Row>, 'sort' | 'onSort'>) {
  const current = sort?.key === column.key ? sort.direction : undefined;
  const next = current === 'down' ? 'up' : 'down';
  return (
    <button
      type="button"
      className={classes(styles.sort, current !== undefined && styles.sorted)}
      onClick={() => onSort?.({ key: column.key, direction: next })}
    >
      {column.header}
      <span aria-hidden="true">{current === undefined ? '' : current === 'down' ? ' ↓' : ' ↑'}</span>
    </button>
  );
}

const ARIA_SORT = { up: 'ascending', down: 'descending' } as const;

export function Head<Row>(props: TableProps<Row>) {
  const { columns, rows, rowKey, selection, onSelect, sort, onSort } = props;
  const t = usePartTexts();
  const all = rows !== undefined && rows.length > 0 && rows.every((row) => selection?.has(rowKey(row)));
  const choose = (checked: boolean) => onSelect?.(new Set(checked ? rows?.map(rowKey) : []));
  return (
    <thead>
      <tr>
        {selection !== undefined && (
          <th className={styles.choice} scope="col">
            <Checkbox
              aria-label={t.selectAll}
              checked={all}
              mixed={!all && selection.size > 0}
              onChange={choose}
            />
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            className={cellClass({ ...column, tone: undefined })}
            style={column.width === undefined ? undefined : { width: column.width }}
            title={column.hint}
            aria-sort={sort?.key === column.key ? ARIA_SORT[sort.direction] : undefined}
          >
            {column.sortable === true && onSort !== undefined ? (
              <SortButton column={column} sort={sort} onSort={onSort} />
            ) : (
              column.header
            )}
            {column.hint !== undefined && (
              <Icon name="info" size={12} label={column.hint} className={styles.hint} />
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A click anywhere in a row follows the link of the row, also into a new tab. */
function followLink(event: MouseEvent<HTMLTableRowElement>): void {
  if (event.defaultPrevented || (event.target as Element).closest('a, button, input, label, select') !== null)
    return;
  if (getSelection()?.isCollapsed === false) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  event.currentTarget
    .querySelector('[data-row-link]')
    ?.dispatchEvent(
      new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
}

interface BodyRowProps<Row> {
  readonly table: TableProps<Row>;
  readonly row: Row;
  readonly index?: number | undefined;
  readonly measure?: ((element: Element | null) => void) | undefined;
}

export function BodyRow<Row>({ table, row, index, measure }: BodyRowProps<Row>) {
  const { columns, rowKey, rowLink, openKey, selection, onSelect, isOff, isNew } = table;
  const t = usePartTexts();
  const key = rowKey(row);
  const chosen = selection?.has(key) === true;
  const choose = (checked: boolean) => {
    const next = new Set(selection);
    if (checked) next.add(key);
    else next.delete(key);
    onSelect?.(next);
  };
  const content = (column: Column<Row>): ReactNode => {
    const cell = column.cell(row);
    if (column.main !== true || rowLink === undefined) return cell;
    return (
      <Link {...rowLink(row)} className={styles.link} data-row-link="">
        {cell}
      </Link>
    );
  };
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-current={openKey === key ? true : undefined}
      className={classes(
        openKey === key && styles.open,
        chosen && styles.chosen,
        isOff?.(row) === true && styles.off,
        isNew?.(row) === true && styles.fresh,
        rowLink !== undefined && styles.linked,
      )}
      onClick={rowLink === undefined ? undefined : followLink}
    >
      {selection !== undefined && (
        <td className={styles.choice}>
          <Checkbox aria-label={`${t.selectRow} ${key}`} checked={chosen} onChange={choose} />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={cellClass(column)}>
          {content(column)}
        </td>
      ))}
    </tr>
  );
}

interface GroupRowProps<Row> {
  readonly table: TableProps<Row>;
  readonly row: Row;
  readonly before: Row | undefined;
}

/** The heading of a group, above its first row. */
export function GroupRow<Row>({ table, row, before }: GroupRowProps<Row>) {
  const { group, columns, selection } = table;
  if (group === undefined) return null;
  const { key, label } = group(row);
  if (before !== undefined && group(before).key === key) return null;
  return (
    <tr className={styles.group}>
      <th scope="rowgroup" colSpan={columns.length + (selection === undefined ? 0 : 1)}>
        {label}
      </th>
    </tr>
  );
}

const WIDTHS = ['62%', '80%', '48%', '70%'];

export function SkeletonRows<Row>({ table }: { readonly table: TableProps<Row> }) {
  const { columns, selection, skeletonRows = 8 } = table;
  return Array.from({ length: skeletonRows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <tr key={row}>
      {selection !== undefined && <td className={styles.choice} />}
      {columns.map((column, at) => (
        <td key={column.key} className={cellClass(column)}>
          <Skeleton width={WIDTHS[(row + at) % WIDTHS.length]} end={column.align === 'right'} />
        </td>
      ))}
    </tr>
  ));
}

export function Foot<Row>({ table }: { readonly table: TableProps<Row> }) {
  const { columns, foot, selection } = table;
  if (foot === undefined) return null;
  return (
    <tfoot>
      <tr>
        {selection !== undefined && <td />}
        {columns.map((column) => (
          <td key={column.key} className={cellClass(column)}>
            {foot[column.key]}
          </td>
        ))}
      </tr>
    </tfoot>
  );
}
