import { useState } from 'react';
import { useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Affix, Input } from '../../../parts/form/input.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Dialog } from '../../../parts/overlay/dialog.tsx';
import { credits, money } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import { Ask } from '../shared.tsx';
import css from './account.module.css';
import { type Account, CHANGED } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Pool = 'balance' | 'credits';
type Funds = Pick<Account, Pool>;

interface MoneyDialogProps {
  readonly account: Account;
  /** A top-up is money in; an adjustment corrects, with its sign. */
  readonly kind: 'top-up' | 'adjust';
  readonly onClose: () => void;
}

/** Moves money with a reason. What the ledger had before and has after are the server's own figures. */
export function MoneyDialog({ account, kind, onClose }: MoneyDialogProps) {
  const t = useTexts({ en, zh });
  const [pool, setPool] = useState<Pool>('balance');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [before, setBefore] = useState<Funds>(account);
  const topUp = useApiWrite('topUpAccount', CHANGED);
  const adjust = useApiWrite('adjustAccount', CHANGED);
  const write = kind === 'top-up' ? topUp : adjust;
  const after = write.data?.data;
  if (after !== undefined) return <Done before={before} after={after} onClose={onClose} />;
  const submit = () => {
    setBefore(account);
    const body = { pool, amount: amount.trim().replace('−', '-'), reason: reason.trim() };
    write.mutate({ params: { id: account.id }, body });
  };
  return (
    <Ask
      title={t.money.titles[kind](account.email)}
      action={t.money.actions[kind]}
      isReady={amount.trim() !== '' && reason.trim() !== ''}
      {...{ onClose, onSubmit: submit, pending: write.isPending, error: write.error }}
    >
      <Segmented
        label={t.money.pool}
        value={pool}
        onChange={setPool}
        options={(['balance', 'credits'] as const).map((value) => ({ value, label: t.money.pools[value] }))}
      />
      <Field
        label={t.money.amount}
        note={t.money.now(pool === 'balance' ? money(account.balance) : credits(account.credits))}
        help={kind === 'adjust' ? t.money.signHelp : undefined}
      >
        <Affix
          size="lg"
          inputMode="decimal"
          autoComplete="off"
          prefix={pool === 'balance' ? '¥' : undefined}
          suffix={pool === 'credits' ? t.credits : undefined}
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
      </Field>
      <Field label={t.money.reason} help={t.money.reasonHelp}>
        <Input value={reason} autoComplete="off" onChange={(event) => setReason(event.target.value)} />
      </Field>
    </Ask>
  );
}

interface DoneProps {
  readonly before: Funds;
  readonly after: Funds;
  readonly onClose: () => void;
}

function Done({ before, after, onClose }: DoneProps) {
  const t = useTexts({ en, zh });
  const rows = [
    [t.balance, money(before.balance), money(after.balance)],
    [t.credits, credits(before.credits), credits(after.credits)],
  ] as const;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.money.done}
      foot={
        <Button variant="primary" onClick={onClose}>
          {t.close}
        </Button>
      }
    >
      <dl className={css.change}>
        {rows.map(([name, old, now]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{old === now ? t.money.same(now) : t.money.change(old, now)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
