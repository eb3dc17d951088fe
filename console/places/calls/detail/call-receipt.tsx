import { Link } from '@tanstack/react-router';
import { Receipt, type ReceiptLine } from '../../../parts/figures/receipt.tsx';
import { DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { count, credits, money } from '../../../parts/text/format.ts';
import { percentOf } from '../../../parts/text/percent-of.ts';
import { Dim } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import type { Texts } from '../list/columns.tsx';
import type { CallDetail, Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';

type ReceiptData = NonNullable<CallDetail['receipt']>;

const MILLION = 1_000_000;
const ZERO = /^-?0(\.0*)?$/;

/** The charge as the server computed it, line by line. Nothing is computed here. */
export function CallReceipt({ of, receipt }: { readonly of: Of; readonly receipt: ReceiptData }) {
  const t = useTexts({ en, zh });
  const isOfTokens = receipt.lines.every(({ per }) => per === MILLION);
  return (
    <DrawerSection title={t.receipt.title} note={receipt.estimated ? t.receipt.estimated : t.receipt.exact}>
      <Receipt
        lines={receipt.lines.map((line) => lineOf(line, t))}
        listAmount={receipt.list_amount}
        rates={receipt.rates.map((rate) => ({ name: rateName(of, rate, t), rate: rate.factor }))}
        product={receipt.product}
        cut={ZERO.test(receipt.cut) ? receipt.cut : `−${receipt.cut}`}
        amount={money(receipt.amount, { decimals: 6 })}
        after={paymentOf(of, receipt, t)}
        quantityName={isOfTokens ? undefined : t.receipt.quantity}
      />
    </DrawerSection>
  );
}

/** With its per cent, where it changes something. Operators read the receipts of others. */
function rateName(of: Of, { name, factor }: ReceiptData['rates'][number], t: Texts): string {
  const isOthers = of === 'all' && name === 'user_rate';
  const word = isOthers ? t.receipt.accountRate : (t.receipt.rates[name] ?? name);
  const rate = percentOf(factor);
  return rate === undefined || rate === '100' ? word : t.receipt.atRate(word, rate);
}

function lineOf({ item, quantity, price, per, amount }: ReceiptData['lines'][number], t: Texts): ReceiptLine {
  const [name, detail] = t.receipt.items[item] ?? [item, ''];
  return {
    key: item,
    name,
    ...(detail !== '' && { detail }),
    quantity: count(quantity),
    price: money(price),
    per: per === MILLION ? '/M' : undefined,
    amount,
  };
}

type After = NonNullable<Parameters<typeof Receipt>[0]['after']>;

function paymentOf(of: Of, receipt: ReceiptData, t: Texts): After {
  const { receipt: words } = t;
  const { free_reason: free, shortfall, entries } = receipt;
  return [
    {
      key: 'credits',
      name: words.perYuan(count(receipt.credits_per_yuan)),
      value: words.credits(credits(receipt.amount_credits)),
    },
    ...(free === null
      ? []
      : [{ key: 'free', name: words.freeBecause[free], value: words.credits(credits(receipt.charge)) }]),
    ...entries.map((entry, at) => ({ ...entryOf(of, entry, t), soft: at === 0 })),
    ...(ZERO.test(shortfall)
      ? []
      : [{ key: 'shortfall', name: words.shortfall, value: words.credits(credits(shortfall)) }]),
  ];
}

function entryOf(of: Of, entry: ReceiptData['entries'][number], t: Texts): After[number] {
  const { id, kind, pool, change, after } = entry;
  const show = (amount: string) => (pool === 'balance' ? money(amount) : credits(amount));
  const number = `#${id}`;
  const named = kind === 'hold' && !change.startsWith('-') ? 'returned' : kind;
  return {
    key: id,
    name: (
      <>
        {t.receipt.kinds[named] ?? kind}{' '}
        <Dim>
          {t.receipt.entry} {of === 'own' ? <Link to="/wallet">{number}</Link> : number}
        </Dim>
      </>
    ),
    value: (
      <>
        {show(change)} <Dim>→ {t.receipt.left(show(after))}</Dim>
      </>
    ),
  };
}
