import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly header: ReactNode;
  /** What the header means, where its word alone does not say it. */
  readonly hint?: string | undefined;
  readonly cell: (row: Row) => ReactNode;
  /** Figures are aligned right. */
  readonly align?: 'right' | undefined;
  /** 5 leaves first when the table gets narrow (1080 px), then 4 (1000), 3 (760), 2 (600) and 1 (440). */
  readonly priority?: 1 | 2 | 3 | 4 | 5 | undefined;
  /** The cell that carries the link of the row. One column only. */
  readonly main?: boolean | undefined;
  readonly sortable?: boolean | undefined;
  readonly tone?: 'sub' | 'dim' | undefined;
  /** A width in CSS, where the content should not decide. Longer text is cut. */
  readonly width?: string | undefined;
}

export interface Sort {
  readonly key: string;
  readonly direction: 'up' | 'down';
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while the first page loads: skeleton rows stand in. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Where a click on a row leads. The `main` column is the link. */
  readonly rowLink?: ((row: Row) => LinkProps) | undefined;
  /** The row whose detail is open. */
  readonly openKey?: string | undefined;
  /** Chosen rows. With it each row has a checkbox. */
  readonly selection?: ReadonlySet<string> | undefined;
  readonly onSelect?: ((selection: ReadonlySet<string>) => void) | undefined;
  readonly sort?: Sort | undefined;
  readonly onSort?: ((sort: Sort) => void) | undefined;
  /** Greyed: disabled, expired. */
  readonly isOff?: ((row: Row) => boolean) | undefined;
  /** Came in while the reader looks: tinted for a second. */
  readonly isNew?: ((row: Row) => boolean) | undefined;
  /** A heading above the first row of each group: the day of a ledger. Not in a VirtualTable. */
  readonly group?: ((row: Row) => { readonly key: string; readonly label: ReactNode }) | undefined;
  /** Shown instead of rows when there are none. */
  readonly empty?: ReactNode;
  readonly skeletonRows?: number | undefined;
  /** Rows of 52 px with two lines. */
  readonly tall?: boolean | undefined;
  /** The header stays below the top bar while the page scrolls. */
  readonly sticky?: boolean | undefined;
  /** Cells of the last row, by the key of the column: sums. */
  readonly foot?: Readonly<Record<string, ReactNode>> | undefined;
}
