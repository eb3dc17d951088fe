import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type Data, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { type LiveEvents, useLive } from '../../app/live.ts';
import { useSettings } from '../../app/settings.ts';
import { Button } from '../../parts/button.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { DrawerSection } from '../../parts/overlay/drawer.tsx';
import { credits } from '../../parts/text/format.ts';
import { KeyOnce } from '../../parts/text/key-once.tsx';
import { Dot } from '../../parts/text/status.tsx';
import { Bad, Row, Sub } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useCallableModels } from '../../snippets/callable-models.ts';
import { SnippetPicker } from '../../snippets/snippet-picker.tsx';
import { snippetsFor } from '../../snippets/snippets.ts';
import { useTexts } from '../../texts/language.ts';
import { usePolicies } from './data.ts';
import { type Tested, testKey } from './test-key.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export type Made = Data<'createKey'>;

/** A key that was just made: itself, what it may, how it is used, and its first call. */
export function MadeKey({ made }: { readonly made: Made }) {
  const t = useTexts({ en, zh });
  const policy = usePolicies()?.find(({ id }) => id === made.policy_id);
  return (
    <>
      <DrawerSection>
        <KeyOnce title={t.ready(made.name)} secret={made.api_key}>
          {t.shownOnce}
        </KeyOnce>
      </DrawerSection>
      <DrawerSection>
        <FactList
          facts={[
            {
              name: t.columns.policy,
              value: policy === undefined ? t.accountPolicy : `${policy.name}: ${t.policyInWords(policy)}`,
            },
            {
              name: t.columns.expires,
              value: made.expires_at === null ? t.expiries.never : <Time at={made.expires_at} />,
            },
            { name: t.mayCall, value: t.everyModel },
          ]}
        />
      </DrawerSection>
      <KeySnippets value={made.api_key} note={t.filledIn} />
      <FirstCallOfKey made={made} />
    </>
  );
}

/** Snippets with a key, or with as much of it as is known. */
export function KeySnippets({ value, note }: { readonly value: string; readonly note: string }) {
  const t = useTexts({ en, zh });
  const navigate = useNavigate({ from: '/keys' });
  const { client } = useSearch({ from: '/user/keys' });
  const baseUrl = useSettings()?.base_url ?? window.location.origin;
  const model = useCallableModels().models?.[0]?.id;
  if (model === undefined) return null;
  return (
    <DrawerSection title={t.useIt} note={note}>
      <SnippetPicker
        clients={snippetsFor({ baseUrl, model, key: value })}
        value={client}
        onChange={(next) =>
          void navigate({ search: (before) => ({ ...before, client: next }), replace: true })
        }
      />
    </DrawerSection>
  );
}

const LOOK_MS = 5_000;

function FirstCallOfKey({ made }: { readonly made: Made }) {
  const t = useTexts({ en, zh });
  const model = useCallableModels().models?.[0]?.id;
  const [tested, setTested] = useState<Tested | 'running'>();
  const calls = useApi(
    'listCalls',
    { query: { size: 1, key_id: made.id } },
    {
      refetchInterval: ({ state }) => (state.data?.data.length === 0 ? LOOK_MS : false),
    },
  ).data?.data;
  const look = useCallback(
    (call: LiveEvents['call']) => {
      if (call.key_id !== made.id) return;
      for (const name of ['listCalls', 'listKeys', 'getUsageByKey'])
        void queries.invalidateQueries({ queryKey: [name] });
    },
    [made.id],
  );
  useLive('call', look);
  const test = async (): Promise<void> => {
    setTested('running');
    setTested(await testKey(made.api_key, model ?? ''));
  };
  const [call] = calls ?? [];
  return (
    <DrawerSection>
      <Row between>
        {call === undefined ? (
          <Row>
            <Dot tone="live" />
            <Sub>{t.waiting}</Sub>
          </Row>
        ) : (
          <Row>
            <Dot tone={call.verdict === 'complete' ? 'ok' : 'bad'} />
            <span>{t.arrived(call.model_id, call.status, credits(call.credits))}</span>
            <Link to="/calls" search={{ call: call.request_id }}>
              {t.receipt}
            </Link>
          </Row>
        )}
        <Button
          size="sm"
          pending={tested === 'running'}
          disabled={model === undefined}
          onClick={() => void test()}
        >
          {t.test}
        </Button>
      </Row>
      {tested !== undefined && tested !== 'running' && !tested.ok && (
        <p role="alert">
          <Bad>{t.testFailed(tested.status, tested.message)}</Bad>
        </p>
      )}
    </DrawerSection>
  );
}
