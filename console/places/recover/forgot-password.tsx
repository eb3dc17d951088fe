import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import { useSettings } from '../../app/settings.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input } from '../../parts/form/input.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { EntryPage } from '../signin/entry-page.tsx';
import css from '../signin/signin.module.css';
import { useEntry } from '../signin/use-entry.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const BAD_PARAMETER = 1001;

/** Mails a link for a new password. The answer is the same whether there is such an account. */
export function ForgotPassword() {
  const t = useTexts({ en, zh });
  const canMail = useSettings()?.can_mail !== false;
  return (
    <EntryPage title={t.forgot.title} lead={canMail ? t.forgot.lead : t.forgot.noMail}>
      {canMail && <Form />}
      <p className={css.other}>
        {t.known} <Link to="/signin">{t.signIn}</Link>
      </p>
    </EntryPage>
  );
}

function Form() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string>();
  const { error, isPending, waitMs, submit } = useEntry(async () => {
    const address = email.trim();
    await callApi('askForNewPassword', { body: { email: address, language } });
    setSentTo(address);
  });
  const isWrong = error?.code === BAD_PARAMETER;
  return (
    <form className={css.form} onSubmit={submit}>
      <Field label={t.email} error={isWrong ? t.noAddress : undefined}>
        <Input
          type="email"
          size="lg"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      {sentTo !== undefined && error === undefined && <Banner tone="info">{t.forgot.sent(sentTo)}</Banner>}
      {error !== undefined && !isWrong && <Banner tone="warn">{t.refused(error)}</Banner>}
      <Button
        type="submit"
        variant={sentTo === undefined ? 'primary' : 'secondary'}
        size="lg"
        block
        pending={isPending}
        disabled={waitMs !== undefined}
      >
        {waitMs !== undefined
          ? t.wait(countDown(waitMs))
          : sentTo === undefined
            ? t.forgot.submit
            : t.forgot.again}
      </Button>
    </form>
  );
}
