import { type FormEvent, useState } from 'react';
import type { ApiError } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { addressOf, type Preset } from '../../../parts/cloud/cloud-draft.ts';
import { CloudFields, CloudSecret } from '../../../parts/cloud/cloud-fields.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Input, PasswordInput } from '../../../parts/form/input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from './first-run.module.css';
import type { StoredKey } from './offer.ts';
import { usePresets } from './presets.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { type Draft, draftOf, isWhole, OWN, type Result, testAndStore } from './vendor-draft.ts';

interface VendorFormProps {
  readonly onResult: (result: Result | undefined) => void;
  readonly onStored: (key: StoredKey) => void;
}

export function VendorForm({ onResult, onStored }: VendorFormProps) {
  const { vendor: t } = useTexts({ en, zh });
  const { presets } = usePresets();
  const [typed, setTyped] = useState<Draft>();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<ApiError>();
  const draft = typed ?? draftOf(presets?.[0], presets?.[0]?.code ?? OWN, '');
  const preset = presets?.find(({ code }) => code === draft.code);
  const change = (part: Partial<Draft>): void => setTyped({ ...draft, ...part });
  const choose = (code: string): void => {
    const chosen = presets?.find((each) => each.code === code);
    setTyped(draftOf(chosen, code, draft.secret));
  };
  const save = async (): Promise<void> => {
    setPending(true);
    setError(undefined);
    onResult(undefined);
    try {
      const { result, stored } = await testAndStore(draft, preset);
      onResult(result);
      if (stored !== undefined) onStored(stored);
    } catch (caught) {
      setError(caught as ApiError);
    } finally {
      setPending(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending) void save();
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <Field label={t.vendor}>
        <Select
          value={draft.code}
          onChange={choose}
          options={[
            ...(presets ?? []).map(({ code, name }) => ({ value: code, label: name })),
            { value: OWN, label: t.own },
          ]}
        />
      </Field>
      <VendorFields {...{ draft, preset, change }} />
      {error !== undefined && (
        <div className={css.whole}>
          <ErrorNote cause={t.failed} remedy={error.message} requestId={error.requestId} />
        </div>
      )}
      <div className={css.whole}>
        <Button type="submit" variant="primary" pending={isPending} disabled={!isWhole(draft, preset)}>
          {t.submit}
        </Button>
      </div>
    </form>
  );
}

interface VendorFieldsProps {
  readonly draft: Draft;
  readonly preset: Preset | undefined;
  readonly change: (part: Partial<Draft>) => void;
}

/** A cloud is asked for more than a key, and for its address only if it is not the usual one. */
function VendorFields({ draft, preset, change }: VendorFieldsProps) {
  const { vendor: t } = useTexts({ en, zh });
  const cloud = preset?.cloud ?? undefined;
  const keys = preset?.keys_url == null ? undefined : <KeysLink to={preset.keys_url} />;
  const usual = preset === undefined ? '' : addressOf(preset, draft.cloud.fields).base_url;
  const set = { draft: draft.cloud, onChange: (changed: Draft['cloud']) => change({ cloud: changed }) };
  return (
    <>
      <Field label={t.address} help={cloud === undefined ? t.addressHelp : t.cloudAddressHelp}>
        <Input
          mono
          required={cloud === undefined}
          type="url"
          placeholder={cloud === undefined ? undefined : usual}
          value={draft.address}
          onChange={(event) => change({ address: event.target.value })}
        />
      </Field>
      {cloud !== undefined && (
        <>
          <CloudFields {...set} cloud={cloud} hasAddress={draft.address.trim() !== ''} />
          <CloudSecret {...set} forms={cloud.secrets} note={keys} />
        </>
      )}
      {cloud === undefined && (
        <Field label={t.key} note={keys}>
          <PasswordInput
            required={preset?.needs_key !== false}
            autoComplete="off"
            value={draft.secret}
            onChange={(event) => change({ secret: event.target.value })}
          />
        </Field>
      )}
      <Field label={t.model} help={t.modelHelp}>
        <Input
          mono
          required
          value={draft.model}
          onChange={(event) => change({ model: event.target.value })}
        />
      </Field>
    </>
  );
}

function KeysLink({ to }: { readonly to: string }) {
  const { vendor: t } = useTexts({ en, zh });
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {t.whereKeys}
    </a>
  );
}
