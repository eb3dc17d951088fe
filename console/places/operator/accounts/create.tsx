import { useState } from 'react';
import { useApiWrite } from '../../../api/api.ts';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Affix, Input } from '../../../parts/form/input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Dialog } from '../../../parts/overlay/dialog.tsx';
import { KeyOnce } from '../../../parts/text/key-once.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Ask } from '../shared.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** Without a password the server makes one, which is shown this once. */
export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts({ en, zh });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<'user' | 'operator'>('user');
  const [balance, setBalance] = useState('');
  const [credits, setCredits] = useState('');
  const write = useApiWrite('createAccount', ['listAccounts', 'getOverview', 'listAuditEntries']);
  const made = write.data?.data;
  if (made !== undefined) return <Created {...made} onClose={onClose} />;
  const submit = () =>
    write.mutate({
      body: {
        ...{ email: email.trim(), role },
        ...(password !== '' && { password }),
        ...(balance.trim() !== '' && { balance: balance.trim() }),
        ...(credits.trim() !== '' && { credits: credits.trim() }),
      },
    });
  return (
    <Ask
      title={t.create.title}
      action={t.create.action}
      isReady={email.trim() !== ''}
      {...{ onClose, onSubmit: submit, pending: write.isPending, error: write.error }}
    >
      <Field label={t.create.email}>
        <Input
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={t.create.password} help={t.create.passwordHelp}>
        <Input
          type="text"
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Field label={t.role}>
        <Select
          value={role}
          onChange={setRole}
          options={[
            { value: 'user', label: t.roles.user },
            { value: 'operator', label: t.roles.operator },
          ]}
        />
      </Field>
      <Field label={t.balance} note={t.create.optional}>
        <Affix
          prefix="¥"
          inputMode="decimal"
          value={balance}
          onChange={(event) => setBalance(event.target.value)}
        />
      </Field>
      <Field label={t.credits} note={t.create.optional}>
        <Affix
          suffix={t.credits}
          inputMode="decimal"
          value={credits}
          onChange={(event) => setCredits(event.target.value)}
        />
      </Field>
    </Ask>
  );
}

interface CreatedProps {
  readonly id: number;
  readonly email: string;
  readonly password: string | null;
  readonly onClose: () => void;
}

function Created({ id, email, password, onClose }: CreatedProps) {
  const t = useTexts({ en, zh });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.create.done(email)}
      foot={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t.create.close}
          </Button>
          <LinkButton variant="primary" to="/operator/accounts/$id" params={{ id: String(id) }}>
            {t.create.open}
          </LinkButton>
        </>
      }
    >
      {password === null ? (
        <p>{t.create.ownPassword}</p>
      ) : (
        <KeyOnce title={t.create.madePassword} secret={password}>
          {t.create.madePasswordHelp}
        </KeyOnce>
      )}
    </Dialog>
  );
}
