import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useLinkHash } from '../../app/link-hash.ts';
import { sessionBegan } from '../../app/session.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input } from '../../parts/form/input.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { Step, Steps } from '../../parts/page/steps.tsx';
import { useTexts } from '../../texts/language.ts';
import { NewAccountForm } from '../register/new-account-form.tsx';
import { SetUpFrame } from './set-up-frame.tsx';
import css from './setup.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { WhereItStands } from './where-it-stands.tsx';

/** The first operator, by the token that the server has printed; then the guided first run. */
export function SetUp() {
  const t = useTexts({ en, zh });
  const { data: answer, error, refetch, isFetching } = useApi('getPublicSettings', {});
  const settings = answer?.data;
  return (
    <SetUpFrame aside={<WhereItStands />}>
      {settings === undefined && error !== null && (
        <ErrorNote
          cause={t.unread}
          requestId={error.requestId}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      <Steps>
        {settings?.operator_missing === false ? (
          <Step number={1} state="done" title={t.operator}>
            <p>{t.isDone}</p>
            <div className={css.form}>
              <LinkButton variant="primary" to="/signin" search={{ next: '/operator/first-run' }}>
                {t.signIn}
              </LinkButton>
            </div>
          </Step>
        ) : (
          <Step number={1} state="on" title={t.operator}>
            <p>{t.operatorText}</p>
            {settings === undefined ? (
              <SkeletonLines lines={6} />
            ) : (
              <OperatorForm passwordLength={settings.password_length} />
            )}
          </Step>
        )}
        <Step number={2} state="next" title={t.next.vendor}>
          <p>{t.next.vendorText}</p>
        </Step>
        <Step number={3} state="next" title={t.next.models}>
          <p>{t.next.modelsText}</p>
        </Step>
        <Step number={4} state="next" title={t.next.call}>
          <p>{t.next.callText}</p>
        </Step>
      </Steps>
      {settings?.operator_missing === true && (
        <p className={css.fine}>
          {t.known} <Link to="/signin">{t.signIn}</Link>
        </p>
      )}
    </SetUpFrame>
  );
}

function OperatorForm({ passwordLength }: { readonly passwordLength: { min: number; max: number } }) {
  const t = useTexts({ en, zh });
  const navigate = useNavigate();
  const [given, setToken] = useTokenOfLink();
  const [isTyped] = useState(given === '');
  const begin = (): void => {
    sessionBegan();
    // The server has its operator now.
    queries.removeQueries({ queryKey: ['getPublicSettings'] });
    void navigate({ to: '/operator/first-run', replace: true });
  };
  return (
    <div className={css.form}>
      <NewAccountForm
        operation="createFirstOperator"
        token={given}
        submit={t.submit}
        passwordLength={passwordLength}
        onDone={begin}
      >
        <Field label={t.token} help={isTyped ? t.tokenHelp : t.tokenOfLink}>
          <Input
            mono
            size="lg"
            required
            autoComplete="off"
            spellCheck={false}
            value={given}
            onChange={(event) => setToken(event.target.value)}
          />
        </Field>
      </NewAccountForm>
    </div>
  );
}

/** The token of the printed link, until another one is typed. */
function useTokenOfLink(): readonly [string, (token: string) => void] {
  const ofLink = new URLSearchParams(useLinkHash('/setup')).get('token') ?? '';
  const [typed, setTyped] = useState<string>();
  return [typed ?? ofLink, setTyped];
}
