import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Unit } from '../text/text.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './receipt.module.css';

export interface ReceiptLine {
  readonly key: string;
  readonly name: string;
  /** Grey behind the name: “read from cache”. */
  readonly detail?: ReactNode;
  readonly quantity: string;
  /** ¥21.60 */
  readonly price: string;
  /** /M */
  readonly per?: string | undefined;
  readonly amount: string;
}

export interface ReceiptProps {
  /** Every figure as the server wrote it. Nothing is computed here. */
  readonly lines: readonly ReceiptLine[];
  readonly listAmount?: string | undefined;
  readonly rates?: readonly { readonly name: string; readonly rate: string }[] | undefined;
  /** List amount × rates. */
  readonly product?: string | undefined;
  /** What is cut beyond six decimals. */
  readonly cut?: string | undefined;
  readonly amount: string;
  /** Further rows below: Credits, who paid. `soft` draws a dotted rule before it. */
  readonly after?: readonly { key: string; name: ReactNode; value: ReactNode; soft?: boolean }[] | undefined;
  /** The heading of the quantities; “Tokens” unless told. */
  readonly quantityName?: string | undefined;
  readonly currency?: string | undefined;
}

/** The equation that anybody can check: quantity × price = line, sum × rates = product, cut, amount. */
export function Receipt(props: ReceiptProps) {
  const { lines, listAmount, rates, product, cut, amount, after = [], quantityName, currency = '¥' } = props;
  const t = usePartTexts().receipt;
  return (
    <div className={styles.receipt}>
      {lines.length > 0 && (
        <div className={classes(styles.row, styles.head)}>
          <span>{t.line}</span>
          <span>{quantityName ?? t.quantity}</span>
          <span>{t.price}</span>
          <span className={styles.amount}>{currency}</span>
        </div>
      )}
      {lines.map((line) => (
        <Line key={line.key} line={line} />
      ))}
      {listAmount !== undefined && (
        <>
          <div className={styles.rule} />
          <Sum name={t.listAmount} value={listAmount} />
        </>
      )}
      {rates !== undefined && rates.length > 0 && <Rates rates={rates} product={product} />}
      {cut !== undefined && <Sum name={t.cut} value={cut} className={styles.dim} />}
      <div className={classes(styles.rule, styles.double)} />
      <Sum name={t.amount} value={amount} className={styles.total} />
      {after.map((row) => (
        <div key={row.key} className={styles.group}>
          {row.soft === true && <div className={classes(styles.rule, styles.soft)} />}
          <Sum name={row.name} value={row.value} />
        </div>
      ))}
    </div>
  );
}

function Line({ line }: { readonly line: ReceiptLine }) {
  return (
    <div className={styles.row}>
      <span>
        {line.name} {line.detail !== undefined && <span className={styles.grey}>{line.detail}</span>}
      </span>
      <span>{line.quantity}</span>
      <span>
        <span className={styles.grey}>×</span> {line.price}
        {line.per !== undefined && <Unit>{line.per}</Unit>}
      </span>
      <span className={styles.amount}>
        <span className={styles.grey}>=</span> {line.amount}
      </span>
    </div>
  );
}

interface SumProps {
  readonly name: ReactNode;
  readonly value: ReactNode;
  readonly className?: string | undefined;
}

function Sum({ name, value, className }: SumProps) {
  return (
    <div className={classes(styles.row, className)}>
      <span className={styles.wide}>{name}</span>
      <span className={styles.amount}>{value}</span>
    </div>
  );
}

const ONE = /^1(\.0*)?$/;

/** A rate that changes nothing is grey; if none changes anything they are one line. */
function Rates({
  rates,
  product,
}: Pick<ReceiptProps, 'product'> & { rates: NonNullable<ReceiptProps['rates']> }) {
  const t = usePartTexts().receipt;
  if (rates.every(({ rate }) => ONE.test(rate))) {
    const each = rates.map(({ name, rate }) => `${name} × ${rate}`).join('\n');
    return <Sum name={<span title={each}>{t.ratesOfOne}</span>} value={product} className={styles.dim} />;
  }
  return (
    <div className={styles.rates}>
      {rates.map(({ name, rate }) => (
        <span key={name} className={styles.rate}>
          <i>×</i>
          <span className={classes(styles.factor, ONE.test(rate) && styles.grey)}>
            {rate}
            <small>{name}</small>
          </span>
        </span>
      ))}
      {product !== undefined && (
        <span className={styles.product}>
          <i>=</i>
          <span>{product}</span>
        </span>
      )}
    </div>
  );
}
