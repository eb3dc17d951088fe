import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type ApiError, callApi } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input, PasswordInput } from '../../parts/form/input.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import css from '../signin/signin.module.css';
import { useEntry } from '../signin/use-entry.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface NewAccountFormProps {
  /** A user by themselves, or the first operator with a token. */
  readonly operation: 'register' | 'createFirstOperator';
  readonly token?: string | undefined;
  readonly submit: string;
  readonly passwordLength: { readonly min: number; readonly max: number };
  /** Above the address: the token. */
  readonly children?: ReactNode;
  readonly onDone: (email: string) => void;
}

/** A new account with an address and a password. */
export function NewAccountForm(props: NewAccountFormProps) {
  const { operation, token = '', submit: word, passwordLength, children, onDone } = props;
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { error, isPending, waitMs, submit } = useEntry(async () => {
    const account = { email: email.trim(), password, cookie: true };
    if (operation === 'register') await callApi('register', { body: { ...account, language } });
    else await callApi('createFirstOperator', { body: { ...account, token: token.trim() } });
    onDone(account.email);
  });
  const wrong = whereIsWrong(error);
  return (
    <form className={css.form} onSubmit={submit}>
      {children}
      <Field label={t.email} error={wrong === 'email' ? <WrongEmail error={error} /> : undefined}>
        <Input
          type="email"
          size="lg"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field
        label={t.password}
        help={t.rule(passwordLength.min)}
        error={wrong === 'password' ? t.rule(passwordLength.min) : undefined}
      >
        <PasswordInput
          size="lg"
          autoComplete="new-password"
          required
          minLength={passwordLength.min}
          maxLength={passwordLength.max}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {error !== undefined && wrong === undefined && (
        <Banner tone={error.code === 1003 ? 'bad' : 'warn'}>{t.refused[operation](error)}</Banner>
      )}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        block
        pending={isPending}
        disabled={waitMs !== undefined}
      >
        {waitMs === undefined ? word : t.wait(countDown(waitMs))}
      </Button>
    </form>
  );
}

/** The field that a refusal is about. */
function whereIsWrong(error: ApiError | undefined): 'email' | 'password' | undefined {
  if (error?.code === 1005) return 'email';
  if (error?.code !== 1001) return undefined;
  return /\bpassword\b/.test(error.message) ? 'password' : 'email';
}

function WrongEmail({ error }: { readonly error: ApiError | undefined }) {
  const t = useTexts({ en, zh });
  if (error?.code !== 1005) return t.noAddress;
  return (
    <>
      {t.taken} <Link to="/signin">{t.signIn}</Link>
    </>
  );
}
