import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApiError, callApi } from '../../api/api.ts';
import { useSettings } from '../../app/settings.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input, PasswordInput } from '../../parts/form/input.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import css from './signin.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { useEntry } from './use-entry.ts';

export interface SignInFormProps {
  /** Filled in at the beginning. */
  readonly email?: string | undefined;
  readonly onSignedIn: (email: string) => void;
}

/** E-mail address and password. Also in the dialog that asks again when a session has ended. */
export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const t = useTexts({ en, zh });
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const { error, isPending, waitMs, submit } = useEntry(async () => {
    const address = email.trim();
    await callApi('logIn', { body: { email: address, password, cookie: true } });
    onSignedIn(address);
  });
  const isWrong = error?.isNotLoggedIn === true;
  const forgot = <Forgot isLeft={known === ''} />;
  const wrong = (
    <>
      {t.wrong} {forgot}
    </>
  );
  return (
    <form className={css.form} onSubmit={submit}>
      <Field label={t.email}>
        <Input
          type="email"
          size="lg"
          autoComplete="username"
          required
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={t.password} help={forgot} error={isWrong ? wrong : undefined}>
        <PasswordInput
          size="lg"
          autoComplete="current-password"
          required
          autoFocus={known !== ''}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {error !== undefined && !isWrong && <Refusal error={error} />}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        block
        pending={isPending}
        disabled={waitMs !== undefined}
      >
        {waitMs === undefined ? t.submit : t.wait(countDown(waitMs))}
      </Button>
    </form>
  );
}

function Refusal({ error }: { readonly error: ApiError }) {
  const t = useTexts({ en, zh });
  return <Banner tone={error.code === 1003 ? 'bad' : 'warn'}>{t.refused(error)}</Banner>;
}

/** The way to a new password. A page that asks to sign in again stays open beside it. */
function Forgot({ isLeft }: { readonly isLeft: boolean }) {
  const t = useTexts({ en, zh });
  if (useSettings()?.can_mail !== true) return t.forgot;
  return (
    <Link to="/forgot-password" target={isLeft ? '_self' : '_blank'}>
      {t.forgotLink}
    </Link>
  );
}
