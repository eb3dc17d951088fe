import { useState } from 'react';
import { callApi, useApi } from '../../../api/api.ts';
import { queries } from '../../../api/queries.ts';
import { useProfile } from '../../../app/session.ts';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Step } from '../../../parts/page/steps.tsx';
import { exactTime } from '../../../parts/text/times.ts';
import { useTexts } from '../../../texts/language.ts';
import { CallReceipt } from '../../calls/detail/call-receipt.tsx';
import { type Tested, testKey } from '../../keys/test-key.ts';
import css from './first-run.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const LOOK_MS = 1_000;
const HOUR_MS = 3_600_000;
/** To try with. They are granted to the operator's own account, and the audit log says so. */
const TRIAL_CREDITS = '1000';

/** One call with a key made for it, until its receipt is there. */
export function CallStep({ model }: { readonly model: string | undefined }) {
  const { call: t } = useTexts({ en, zh });
  const accountId = useProfile()?.id;
  const [tested, setTested] = useState<Tested | 'running'>();
  const [failure, setFailure] = useState<string>();
  const isCalled = tested !== undefined && tested !== 'running' && tested.ok;
  if (model === undefined) {
    return (
      <Step number={4} state="next" title={t.title}>
        <p>{t.later}</p>
      </Step>
    );
  }
  const make = async (): Promise<void> => {
    setTested('running');
    setFailure(undefined);
    try {
      setTested(await firstCall(model, accountId ?? 0));
    } catch (error) {
      setTested(undefined);
      setFailure(String((error as Error).message));
    }
  };
  return (
    <Step number={4} state={isCalled ? 'done' : 'on'} title={isCalled ? t.arrived : t.title}>
      {!isCalled && <p>{t.text(model, TRIAL_CREDITS)}</p>}
      {!isCalled && (
        <div className={css.act}>
          <Button variant="primary" pending={tested === 'running'} onClick={() => void make()}>
            {t.make}
          </Button>
        </div>
      )}
      {tested !== undefined && tested !== 'running' && !tested.ok && (
        <ErrorNote cause={t.failed(tested.status)} remedy={tested.message} />
      )}
      {failure !== undefined && <ErrorNote cause={t.failed(0)} remedy={failure} />}
      {isCalled && <FirstReceipt model={model} />}
    </Step>
  );
}

async function firstCall(model: string, accountId: number): Promise<Tested> {
  const { data: funds } = await callApi('getBalanceAndSwitches', {});
  if (/^0(\.0*)?$/.test(funds.credits)) {
    const body = { pool: 'credits', amount: TRIAL_CREDITS, reason: 'first call of the set-up' } as const;
    await callApi('topUpAccount', { params: { id: accountId }, body });
  }
  const body = { name: 'first call', expires_at: exactTime(Date.now() + HOUR_MS) };
  const { data: key } = await callApi('createKey', { body });
  const tested = await testKey(key.api_key, model);
  await queries.invalidateQueries({ queryKey: ['listCalls'] });
  return tested;
}

function FirstReceipt({ model }: { readonly model: string }) {
  const { call: t } = useTexts({ en, zh });
  const calls = useApi(
    'listCalls',
    { query: { size: 1 } },
    {
      refetchInterval: ({ state }) => (state.data?.data[0] === undefined ? LOOK_MS : false),
    },
  ).data?.data;
  const id = calls?.[0]?.id;
  const detail = useApi('getCall', { params: { id: id ?? 0 } }, { enabled: id !== undefined }).data?.data;
  return (
    <>
      {detail?.receipt != null && (
        <div className={css.receipt}>
          <CallReceipt of="own" receipt={detail.receipt} />
        </div>
      )}
      <div className={css.act}>
        <LinkButton variant="primary" to="/playground" search={{ model } as never}>
          {t.playground}
        </LinkButton>
        <LinkButton to="/operator">{t.overview}</LinkButton>
      </div>
    </>
  );
}
