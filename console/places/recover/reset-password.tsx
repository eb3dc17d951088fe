import { useState } from 'react';
import { type ApiError, callApi } from '../../api/api.ts';
import { useLinkHash } from '../../app/link-hash.ts';
import { sessionBegan } from '../../app/session.ts';
import { useSettings } from '../../app/settings.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { PasswordInput } from '../../parts/form/input.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { EntryPage } from '../signin/entry-page.tsx';
import css from '../signin/signin.module.css';
import { useEntry } from '../signin/use-entry.ts';
import { isSpent } from './is-spent.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The page of a mailed link: a new password, once. */
export function ResetPassword() {
  const { reset: t, signIn } = useTexts({ en, zh });
  const token = useLinkHash('/reset-password');
  const [spent, setSpent] = useState<string>();
  const [ended, setEnded] = useState<number>();
  if (ended !== undefined) {
    return (
      <EntryPage title={t.doneTitle} lead={t.done(ended)}>
        <LinkButton to="/signin" variant="primary" size="lg" block>
          {signIn}
        </LinkButton>
      </EntryPage>
    );
  }
  if (token === '' || spent === token) {
    return (
      <EntryPage title={t.spentTitle} lead={t.spent}>
        <LinkButton to="/forgot-password" variant="primary" size="lg" block>
          {t.another}
        </LinkButton>
      </EntryPage>
    );
  }
  return (
    <EntryPage title={t.title} lead={t.lead}>
      <Form token={token} onSpent={() => setSpent(token)} onDone={setEnded} />
    </EntryPage>
  );
}

interface FormProps {
  readonly token: string;
  readonly onSpent: () => void;
  readonly onDone: (endedSessions: number) => void;
}

function Form({ token, onSpent, onDone }: FormProps) {
  const t = useTexts({ en, zh });
  const length = useSettings()?.password_length;
  const [password, setPassword] = useState('');
  const { error, isPending, waitMs, submit } = useEntry(async () => {
    const { data } = await callApi('setNewPassword', { body: { token, password } }).catch(
      (caught: ApiError) => {
        if (isSpent(caught)) onSpent();
        throw caught;
      },
    );
    // The session of this browser has ended with the others.
    sessionBegan();
    onDone(data.ended_sessions);
  });
  const rule = length && t.rule(length.min);
  const isWrong = error?.code === 1001;
  return (
    <form className={css.form} onSubmit={submit}>
      <Field label={t.reset.password} help={rule} error={isWrong ? rule : undefined}>
        <PasswordInput
          size="lg"
          autoComplete="new-password"
          required
          autoFocus
          minLength={length?.min}
          maxLength={length?.max}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {error !== undefined && !isWrong && <Banner tone="warn">{t.refused(error)}</Banner>}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        block
        pending={isPending}
        disabled={waitMs !== undefined}
      >
        {waitMs === undefined ? t.reset.submit : t.wait(countDown(waitMs))}
      </Button>
    </form>
  );
}
