import { type FormEvent, useState } from 'react';
import { type ApiError, callApi, type Data } from '../../../api/api.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Input, PasswordInput } from '../../../parts/form/input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Step } from '../../../parts/page/steps.tsx';
import { duration, written } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import css from './first-run.module.css';
import type { Preset, StoredKey, VendorProtocol } from './offer.ts';
import { usePresets } from './presets.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface VendorStepProps {
  readonly stored: StoredKey | undefined;
  /** There was a key before this visit. */
  readonly isKnown: boolean;
  readonly onStored: (key: StoredKey) => void;
}

type Result = Data<'testNewPlatformCredential'>;

export function VendorStep({ stored, isKnown, onStored }: VendorStepProps) {
  const { vendor: t } = useTexts({ en, zh });
  const [isAdding, setAdding] = useState(false);
  const [result, setResult] = useState<Result>();
  const isOpen = isAdding || (stored === undefined && !isKnown);
  const add = !isOpen && (
    <Button size="xs" onClick={() => setAdding(true)}>
      {t.another}
    </Button>
  );
  return (
    <Step number={2} state={isOpen ? 'on' : 'done'} title={t.title} right={add}>
      {!isOpen && <p>{stored === undefined ? t.known : t.stored(<b key="name">{stored.name}</b>)}</p>}
      {isOpen && (
        <VendorForm
          onResult={setResult}
          onStored={(key) => {
            setAdding(false);
            onStored(key);
          }}
        />
      )}
      {result !== undefined && <Checks result={result} />}
    </Step>
  );
}

interface VendorFormProps {
  readonly onResult: (result: Result | undefined) => void;
  readonly onStored: (key: StoredKey) => void;
}

interface Draft {
  readonly code: string;
  readonly address: string;
  readonly secret: string;
  readonly model: string;
}

const OWN = 'own';

function protocolsOf(preset: Preset | undefined, address: string): readonly VendorProtocol[] {
  const known = preset?.addresses.find(({ base_url: each }) => each === address) ?? preset?.addresses[0];
  return known?.protocols ?? ['chat'];
}

function draftOf(preset: Preset | undefined, code: string, secret: string): Draft {
  const priced = (preset?.models ?? []).filter(({ prices }) => prices.input !== null);
  const [cheapest] = priced.toSorted((one, other) => Number(one.prices.input) - Number(other.prices.input));
  return { code, secret, address: preset?.addresses[0]?.base_url ?? '', model: cheapest?.model_id ?? '' };
}

function VendorForm({ onResult, onStored }: VendorFormProps) {
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
      const result = await testDraft(draft, preset);
      onResult(result);
      if (result.ok) onStored(await store(draft, preset));
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
      <Field label={t.address} help={t.addressHelp}>
        <Input
          mono
          required
          type="url"
          value={draft.address}
          onChange={(event) => change({ address: event.target.value })}
        />
      </Field>
      <Field label={t.key} note={preset?.keys_url == null ? undefined : <KeysLink to={preset.keys_url} />}>
        <PasswordInput
          required={preset?.needs_key !== false}
          autoComplete="off"
          value={draft.secret}
          onChange={(event) => change({ secret: event.target.value })}
        />
      </Field>
      <Field label={t.model} help={t.modelHelp}>
        <Input
          mono
          required
          value={draft.model}
          onChange={(event) => change({ model: event.target.value })}
        />
      </Field>
      {error !== undefined && (
        <ErrorNote cause={t.failed} remedy={error.message} requestId={error.requestId} />
      )}
      <div>
        <Button type="submit" variant="primary" pending={isPending}>
          {t.submit}
        </Button>
      </div>
    </form>
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

function secretOf({ secret }: Draft): string {
  return secret.trim() === '' ? 'none' : secret.trim();
}

async function testDraft(draft: Draft, preset: Preset | undefined): Promise<Result> {
  const [protocol = 'chat'] = protocolsOf(preset, draft.address).filter((each) => each !== 'images');
  const body = {
    ...{ vendor: draft.code, protocol, base_url: draft.address.trim() },
    ...{ secret: secretOf(draft), model: draft.model.trim() },
  };
  return (await callApi('testNewPlatformCredential', { body })).data;
}

/** The vendor, if it is new, and the key. An address that is not the vendor's own goes with the key. */
async function store(draft: Draft, preset: Preset | undefined): Promise<StoredKey> {
  const [vendors, credentials] = await Promise.all([
    callApi('listVendors', { query: { size: 100 } }),
    callApi('listCredentials', { query: { size: 100 } }),
  ]);
  const address = draft.address.trim();
  const protocols = protocolsOf(preset, address);
  const vendor = vendors.data.find(({ code }) => code === draft.code);
  if (vendor === undefined) {
    const name = preset?.name ?? draft.code;
    await callApi('createVendor', { body: { code: draft.code, name, protocols, base_url: address } });
  }
  const name = freeName(draft.code, new Set(credentials.data.map((each) => each.name)));
  const isElsewhere = vendor !== undefined && vendor.base_url !== address;
  await callApi('createCredential', {
    body: { name, vendor: draft.code, secret: secretOf(draft), ...(isElsewhere && { base_url: address }) },
  });
  await queries.invalidateQueries({ queryKey: ['listCredentials'] });
  return { vendor: draft.code, name, protocols: vendor?.protocols ?? protocols, model: draft.model.trim() };
}

function freeName(vendor: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${vendor}-main` : `${vendor}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** What the one call has shown: the address, the key, the answer. */
function Checks({ result }: { readonly result: Result }) {
  const { vendor: t } = useTexts({ en, zh });
  const { ok, status, message, first_byte_ms: firstByteMs, duration_ms: durationMs } = result;
  const isAnswered = status !== null;
  const isAccepted = isAnswered && status !== 401 && status !== 403;
  const checks = [
    { name: t.checks.address, isGood: isAnswered, ms: firstByteMs },
    { name: t.checks.key, isGood: isAccepted, ms: undefined },
    { name: t.checks.call, isGood: ok, ms: durationMs },
  ];
  return (
    <>
      <ul className={css.checks} aria-label={t.checks.label}>
        {checks.map(({ name, isGood, ms }) => (
          <li key={name.good} className={isGood ? css.good : css.bad}>
            <Icon name={isGood ? 'check' : 'x'} size={14} />
            <span>{isGood ? name.good : name.bad}</span>
            {isGood && ms != null && <small>{written(duration(ms))}</small>}
          </li>
        ))}
      </ul>
      {!ok && <ErrorNote cause={t.refused(status)} remedy={message ?? ''} />}
    </>
  );
}
