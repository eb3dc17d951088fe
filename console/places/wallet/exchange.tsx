import { useEffect, useState } from 'react';
import { type ApiError, type Data, useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Affix } from '../../parts/form/input.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { credits, money } from '../../parts/text/format.ts';
import { Dim } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import { readAmount } from './amount.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './wallet.module.css';

const QUICK = ['50', '100'];
const INSUFFICIENT = 1007;
const REST_MS = 150;

/** What was typed, once the typing rests. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

/** The preview is the server's: it is what the exchange would answer. */
export function Exchange() {
  const t = useTexts({ en, zh });
  const [typed, setTyped] = useState('');
  const funds = useApi('getBalanceAndSwitches', {}).data?.data;
  const amount = readAmount(typed);
  const rested = useRested(amount ?? '');
  // The funds belong to the question: when they move, the old answer is of another balance.
  const preview = useApi(
    'previewExchange',
    { query: { amount: rested } },
    { enabled: rested !== '' && Number(rested) > 0, retry: false, staleTime: 0 },
  );
  const { refetch } = preview;
  const moved = `${funds?.balance} ${funds?.credits}`;
  useEffect(() => {
    if (rested !== '' && moved !== '') void refetch();
  }, [moved, rested, refetch]);
  const write = useApiWrite('exchangeBalanceForCredits', [
    ...(['getBalanceAndSwitches', 'listBalanceChanges', 'previewExchange'] as const),
  ]);
  const isCurrent = amount !== undefined && rested === amount && Number(amount) > 0;
  const data = isCurrent && !preview.isError ? preview.data?.data : undefined;
  const error = errorOf(t, typed, write.error ?? (isCurrent ? preview.error : null));
  const change = (next: string) => {
    setTyped(next);
    write.reset();
  };
  const submit = () => {
    if (data === undefined || amount === undefined || write.isPending) return;
    write.mutate({ body: { amount } }, { onSuccess: () => setTyped('') });
  };
  return (
    <Section title={t.exchange} urgent>
      <form
        className={css.exchange}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label={t.amount} error={error}>
          <Affix
            size="lg"
            prefix="¥"
            inputMode="decimal"
            autoComplete="off"
            placeholder="0"
            value={typed}
            onChange={(event) => change(event.target.value)}
            suffix={<Quick balance={funds?.balance} onChoose={change} />}
          />
        </Field>
        <Preview data={data} balance={funds?.balance} own={funds?.credits} />
        <Button
          variant="primary"
          block
          type="submit"
          disabled={data === undefined && !write.isPending}
          pending={write.isPending}
        >
          {data === undefined ? t.exchangeButton : t.exchangeAmount(money(data.amount))}
        </Button>
        <p className={css.fine}>{t.oneWay}</p>
      </form>
    </Section>
  );
}

function Quick({
  balance,
  onChoose,
}: {
  readonly balance: string | undefined;
  readonly onChoose: (amount: string) => void;
}) {
  const t = useTexts({ en, zh });
  return (
    <span className={css.quick}>
      {QUICK.map((each) => (
        <Button key={each} variant="ghost" size="xs" aria-label={`¥${each}`} onClick={() => onChoose(each)}>
          {each}
        </Button>
      ))}
      <Button
        variant="ghost"
        size="xs"
        disabled={balance === undefined || Number(balance) === 0}
        onClick={() => onChoose(balance ?? '')}
      >
        {t.everything}
      </Button>
    </span>
  );
}

interface PreviewProps {
  readonly data: Data<'previewExchange'> | undefined;
  readonly balance: string | undefined;
  readonly own: string | undefined;
}

/** Always there, so that nothing moves while one types. */
function Preview({ data, balance, own }: PreviewProps) {
  const t = useTexts({ en, zh });
  const then = (now: string, after: string | undefined) =>
    after === undefined ? (
      now
    ) : (
      <>
        <Dim>{now} →</Dim> {after}
      </>
    );
  return (
    <FactList
      facts={[
        {
          name: t.youGet,
          value: data === undefined ? '–' : <b>{t.creditsOf(credits(data.received))}</b>,
        },
        { name: t.balance, value: then(money(balance), data && money(data.balance)) },
        { name: t.credits, value: then(credits(own), data && credits(data.credits)) },
      ]}
    />
  );
}

function errorOf(t: typeof en, typed: string, error: ApiError | null): string | undefined {
  if (typed.trim() === '') return undefined;
  const amount = readAmount(typed);
  if (amount === undefined) return t.badAmount;
  if (Number(amount) === 0) return undefined;
  if (error === null) return undefined;
  if (error.code === INSUFFICIENT) return t.tooMuch;
  return error.status === 0 ? t.unread : error.message;
}
