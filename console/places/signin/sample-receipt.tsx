import { Pill } from '../../parts/text/status.tsx';
import { Unit } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './entry-page.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** A call that never was, with a true receipt: 1,000 × 9/M + 500 × 72/M, × 0.95 × 0.90. */
export function SampleReceipt() {
  const { receipt: t } = useTexts({ en, zh });
  return (
    <div className={css.slip}>
      <div className={css.slipHead}>
        <span className={css.id}>req_01kagp6b9w5x…</span>
        <Pill tone="ok" dot="ok">
          {t.complete}
        </Pill>
      </div>
      <h2>
        gpt-5 <small>{t.way}</small>
      </h2>
      <div className={css.lines}>
        <Line name={t.input} quantity="1,000" price="¥9.00" amount="0.009" />
        <Line name={t.output} quantity="500" price="¥72.00" amount="0.036" />
        <hr />
        <Sum name={t.listAmount} amount="0.045" />
        <Sum name={t.rates} amount="0.038475" />
        <hr className={css.double} />
        <Sum name={<b>{t.amount}</b>} amount={<b>¥0.038475</b>} />
        <Sum name={t.paidWithCredits} amount="38.475" />
      </div>
    </div>
  );
}

interface LineProps {
  readonly name: string;
  readonly quantity: string;
  readonly price: string;
  readonly amount: string;
}

function Line({ name, quantity, price, amount }: LineProps) {
  return (
    <>
      <span>{name}</span>
      <span className={css.figure}>{quantity}</span>
      <span className={css.figure}>
        <i>×</i> {price}
        <Unit>/M</Unit>
      </span>
      <span className={css.figure}>
        <i>=</i> {amount}
      </span>
    </>
  );
}

function Sum({ name, amount }: { readonly name: React.ReactNode; readonly amount: React.ReactNode }) {
  return (
    <>
      <span className={css.wide}>{name}</span>
      <span className={css.figure}>{amount}</span>
    </>
  );
}
