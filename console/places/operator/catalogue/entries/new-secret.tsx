import { useState } from 'react';
import { useApiWrite } from '../../../../api/api.ts';
import { Button } from '../../../../parts/button.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { PasswordInput } from '../../../../parts/form/input.tsx';
import css from '../catalogue.module.css';
import { useCatalogueTexts } from '../texts.ts';

/** A secret is written and never read. It goes to the server at once and is no part of the draft. */
export function NewSecret({ id, shown }: { readonly id: number; readonly shown: string }) {
  const t = useCatalogueTexts();
  const [secret, setSecret] = useState('');
  const save = useApiWrite('updateCredential', ['listCredentials', 'getCatalogueAsFile']);
  return (
    <form
      className={css.secret}
      onSubmit={(event) => {
        event.preventDefault();
        if (secret !== '') {
          save.mutate({ params: { id }, body: { secret } }, { onSuccess: () => setSecret('') });
        }
      }}
    >
      <Field
        label={t.fields.secret}
        note={shown}
        help={save.isSuccess ? t.credential.replaced : t.credential.secretHelp}
        error={save.error?.message}
      >
        <PasswordInput
          autoComplete="new-password"
          value={secret}
          placeholder={t.credential.newSecret}
          onChange={(event) => setSecret(event.target.value)}
        />
      </Field>
      <Button type="submit" size="sm" disabled={secret === ''} pending={save.isPending}>
        {t.credential.replace}
      </Button>
    </form>
  );
}
