import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSettings } from '../../app/settings.ts';
import { CopyLine } from '../../parts/code/code-block.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Page, PageHead } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { Step, Steps } from '../../parts/page/steps.tsx';
import { useCallableModels } from '../../snippets/callable-models.ts';
import { SnippetPicker } from '../../snippets/snippet-picker.tsx';
import { snippetsFor } from '../../snippets/snippets.ts';
import { useTexts } from '../../texts/language.ts';
import { FirstCall, useNewestCall } from './first-call.tsx';
import { KeyStep, type MadeKey } from './key-step.tsx';
import css from './start.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { WithoutTerminal } from './without-terminal.tsx';

export function Start() {
  const t = useTexts({ en, zh });
  const [made, setMade] = useState<MadeKey>();
  const newest = useNewestCall(made);
  const settings = useSettings();
  const baseUrl = settings?.base_url ?? window.location.origin;
  return (
    <Page>
      <PageHead title={t.title} lead={t.lead} />
      <div className={css.start}>
        <Steps>
          <Step number={1} state="done" title={t.address.title}>
            <dl className={css.pair}>
              <div>
                <dt>{t.address.openAi}</dt>
                <dd>
                  <CopyLine text={`${baseUrl}/v1`} label={t.address.copyWith} />
                </dd>
              </div>
              <div>
                <dt>{t.address.others}</dt>
                <dd>
                  <CopyLine text={baseUrl} label={t.address.copyWithout} />
                </dd>
              </div>
            </dl>
          </Step>
          <KeyStep made={made} onMade={setMade} />
          <CallStep baseUrl={baseUrl} made={made} isDone={newest?.verdict === 'complete'} />
          <FirstCall made={made} call={newest} />
        </Steps>
        <WithoutTerminal />
      </div>
    </Page>
  );
}

interface CallStepProps {
  readonly baseUrl: string;
  readonly made: MadeKey | undefined;
  readonly isDone: boolean;
}

function CallStep({ baseUrl, made, isDone }: CallStepProps) {
  const t = useTexts({ en, zh });
  const navigate = useNavigate({ from: '/start' });
  const search = useSearch({ from: '/user/start' });
  const { models } = useCallableModels();
  const model = models?.find(({ id }) => id === search.model)?.id ?? models?.[0]?.id;
  const choose = (change: Partial<typeof search>): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Step number={3} state={isDone ? 'done' : 'on'} title={t.call.title}>
      <p>{made === undefined ? t.call.text : t.call.filled}</p>
      {models === undefined && <Skeleton height="320px" />}
      {models !== undefined && model === undefined && <p>{t.call.noModel}</p>}
      {models !== undefined && model !== undefined && (
        <SnippetPicker
          clients={snippetsFor({ baseUrl, model, key: made?.secret })}
          value={search.client}
          onChange={(client) => choose({ client })}
        >
          <span className={css.model}>
            {t.call.model}
            <Select
              size="sm"
              aria-label={t.call.model}
              value={model}
              onChange={(next) => choose({ model: next })}
              options={models.map(({ id }) => ({ value: id, label: id }))}
            />
          </span>
        </SnippetPicker>
      )}
    </Step>
  );
}
