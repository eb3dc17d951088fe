import { useState } from 'react';
import { useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { SwitchRow } from '../../parts/form/choice.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Affix } from '../../parts/form/input.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { useTexts } from '../../texts/language.ts';
import { readAmount } from './amount.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './wallet.module.css';

/** Who pays for calls, and how much of it in a month. */
export function Payment() {
  const t = useTexts({ en, zh });
  const funds = useApi('getBalanceAndSwitches', {}).data?.data;
  return (
    <Section title={t.payment}>
      <div className={css.switches}>
        <PaymentSwitch
          operation="switchAutomaticExchange"
          label={t.autoExchange}
          help={t.autoExchangeHelp}
          on={funds?.auto_exchange}
        />
        <PaymentSwitch
          operation="switchPaymentWithCredits"
          label={t.apiBilling}
          help={t.apiBillingHelp}
          on={funds?.api_billing}
        />
        <Cap key={funds?.extra_api_quota ?? ''} cap={funds?.extra_api_quota} />
      </div>
    </Section>
  );
}

interface PaymentSwitchProps {
  readonly operation: 'switchAutomaticExchange' | 'switchPaymentWithCredits';
  readonly label: string;
  readonly help: string;
  readonly on: boolean | undefined;
}

function PaymentSwitch({ operation, label, help, on }: PaymentSwitchProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite(operation, ['getBalanceAndSwitches']);
  const shown = write.isPending ? write.variables.body.enabled : (on ?? false);
  return (
    <>
      <SwitchRow
        label={label}
        help={help}
        checked={shown}
        disabled={on === undefined}
        onChange={(enabled) => write.mutate({ body: { enabled } })}
      />
      {write.isError && <ErrorNote cause={t.notSaved} requestId={write.error.requestId} />}
    </>
  );
}

function Cap({ cap }: { readonly cap: string | undefined }) {
  const t = useTexts({ en, zh });
  const [typed, setTyped] = useState(cap ?? '');
  const [tried, setTried] = useState(false);
  const write = useApiWrite('setMonthlySpendingCap', ['getBalanceAndSwitches', 'getUsageOverview']);
  const amount = readAmount(typed);
  const save = () => {
    setTried(true);
    if (amount !== undefined && !write.isPending) write.mutate({ body: { amount } });
  };
  const error = tried && amount === undefined ? t.badAmount : write.error?.message;
  return (
    <form
      className={css.cap}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label={t.cap} note={t.capNote} error={error} help={t.capHelp}>
        <div className={css.capRow}>
          <Affix
            prefix="¥"
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setTried(false);
              write.reset();
            }}
          />
          <Button type="submit" pending={write.isPending} disabled={cap === undefined || amount === cap}>
            {t.save}
          </Button>
        </div>
      </Field>
    </form>
  );
}
