import { useState } from 'react';
import { useApiWrite } from '../../api/api.ts';
import { useSettings } from '../../app/settings.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { PasswordInput } from '../../parts/form/input.tsx';
import { showToast } from '../../parts/overlay/toast.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const BAD_PARAMETER = 1001;

export function Password() {
  const t = useTexts({ en, zh });
  const [now, setNow] = useState('');
  const [next, setNext] = useState('');
  const [tried, setTried] = useState(false);
  const length = useSettings()?.password_length;
  const write = useApiWrite('changePassword', ['listSessions']);
  const isShort = length !== undefined && [...next].length < length.min;
  const error = write.error;
  const isWrong = error?.code === BAD_PARAMETER && error.message.startsWith('password');
  const isBad = error?.code === BAD_PARAMETER && error.message.startsWith('new_password');
  const submit = () => {
    setTried(true);
    if (isShort || now === '' || write.isPending) return;
    write.mutate(
      { body: { password: now, new_password: next } },
      {
        onSuccess: ({ data }) => {
          setNow('');
          setNext('');
          setTried(false);
          showToast({ text: t.passwordChanged(data.ended_sessions) });
        },
      },
    );
  };
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={css.passwords}>
        <Field label={t.passwordNow} error={isWrong ? t.wrongPassword : undefined}>
          <PasswordInput
            value={now}
            autoComplete="current-password"
            onChange={(event) => {
              setNow(event.target.value);
              write.reset();
            }}
          />
        </Field>
        <Field
          label={t.passwordNew}
          note={length && t.orMore(length.min)}
          error={tried && isShort ? t.tooShort(length.min) : isBad ? error.message : undefined}
        >
          <PasswordInput
            value={next}
            autoComplete="new-password"
            onChange={(event) => {
              setNext(event.target.value);
              write.reset();
            }}
          />
        </Field>
        <Button type="submit" pending={write.isPending} disabled={now === '' || next === ''}>
          {t.changePassword}
        </Button>
      </div>
      {error !== null && !isWrong && !isBad && (
        <ErrorNote cause={error.message} requestId={error.requestId} />
      )}
      <p className={css.hint}>{t.passwordHint}</p>
    </form>
  );
}
