import { useState } from 'react';
import { type ApiError, type Row as ApiRow, useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { type CloudDraft, NO_CLOUD, secretOf } from '../../parts/cloud/cloud-draft.ts';
import { CloudSecret } from '../../parts/cloud/cloud-fields.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input, PasswordInput } from '../../parts/form/input.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { VendorMark } from '../../parts/text/status.tsx';
import { useTexts } from '../../texts/language.ts';
import type { Credential } from './columns.tsx';
import css from './credentials.module.css';
import { Tested } from './tested.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Vendor = ApiRow<'listVendorsForByokCredentials'>;

interface Typed {
  readonly vendor: string;
  readonly name: string;
  readonly secret: string;
  readonly address: string;
  readonly cloud: CloudDraft;
}

export interface CredentialDrawerProps {
  /** Undefined: a new one. */
  readonly credential: Credential | undefined;
  readonly onClose: () => void;
  readonly onDelete: (credential: Credential) => void;
}

/** What is typed is tested before it is saved. */
export function CredentialDrawer({ credential, onClose, onDelete }: CredentialDrawerProps) {
  const t = useTexts({ en, zh });
  const form = useCredentialForm(credential, onClose);
  const { typed, vendor, test, write } = form;
  const title = credential === undefined ? t.addTitle : credential.name;
  return (
    <Drawer
      label={title}
      title={title}
      size="narrow"
      onClose={onClose}
      foot={
        <>
          {credential !== undefined && (
            <Button variant="danger" onClick={() => onDelete(credential)}>
              {t.delete}
            </Button>
          )}
          <Button
            icon="refresh"
            variant="ghost"
            pending={test.isPending}
            disabled={!form.canTest}
            onClick={form.runTest}
          >
            {test.data === undefined ? t.testIt : t.testAgain}
          </Button>
          <Button
            variant="primary"
            className={css.save}
            pending={write.isPending}
            disabled={!form.canSave}
            onClick={form.save}
          >
            {t.save(typed.name)}
          </Button>
        </>
      }
    >
      <DrawerSection>
        <form
          className={css.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (form.canSave) form.save();
            else if (form.canTest) form.runTest();
          }}
        >
          <Fields form={form} credential={credential} />
          {/* Enter in a field tests, and then saves. */}
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        </form>
      </DrawerSection>
      <DrawerSection title={t.tested} note={t.testedNote}>
        <Tested test={test} vendor={vendor} isStale={form.isStale} />
        {write.isError && form.fieldOf(write.error) === undefined && (
          <ErrorNote cause={write.error.message} requestId={write.error.requestId} />
        )}
      </DrawerSection>
    </Drawer>
  );
}

interface FieldsProps {
  readonly form: Form;
  readonly credential: Credential | undefined;
}

function Fields({ form, credential }: FieldsProps) {
  const t = useTexts({ en, zh });
  const { typed, change, vendor, vendors } = form;
  const error = (field: keyof Typed) => form.errorOf(field);
  const isCloud = vendor !== undefined && vendor.secrets.length > 0;
  const hasAddress = vendor?.custom_base_url === true || (credential?.base_url ?? null) !== null;
  return (
    <>
      {credential === undefined && <VendorChoice vendors={vendors} value={typed.vendor} onChoose={change} />}
      <Field label={t.name} error={error('name')}>
        <Input
          value={typed.name}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      {isCloud ? (
        <CloudSecret forms={vendor.secrets} draft={typed.cloud} onChange={(cloud) => change({ cloud })} />
      ) : (
        <Field
          label={t.secret}
          note={credential === undefined ? t.secretNote : t.secretKept(credential.secret_hint)}
          error={error('secret')}
        >
          <PasswordInput
            value={typed.secret}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ secret: event.target.value })}
          />
        </Field>
      )}
      {isCloud && error('secret') !== undefined && <ErrorNote cause={error('secret')} />}
      {hasAddress && (
        <Field label={t.address} note={t.addressNote} error={error('address')}>
          <Input
            mono
            value={typed.address}
            placeholder="https://"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ address: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

interface VendorChoiceProps {
  readonly vendors: readonly Vendor[] | undefined;
  readonly value: string;
  readonly onChoose: (change: Pick<Typed, 'vendor' | 'address' | 'cloud'>) => void;
}

function VendorChoice({ vendors, value, onChoose }: VendorChoiceProps) {
  const t = useTexts({ en, zh });
  return (
    <fieldset className={css.vendors}>
      <legend>{t.vendor}</legend>
      {vendors?.map(({ vendor_code: code, vendor_name: name }) => (
        <label key={code}>
          <input
            type="radio"
            name="vendor"
            value={code}
            checked={code === value}
            onChange={() => onChoose({ vendor: code, address: '', cloud: NO_CLOUD })}
          />
          <VendorMark name={name} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

type Form = ReturnType<typeof useCredentialForm>;

const FIELD_NAMES: Readonly<Record<string, keyof Typed>> = {
  name: 'name',
  secret: 'secret',
  base_url: 'address',
  vendor_code: 'vendor',
};

/** The server names the field first in what it says is wrong. */
function fieldOf({ message }: ApiError): keyof Typed | undefined {
  if (/credential with this name/.test(message)) return 'name';
  return FIELD_NAMES[/^(\w+)/.exec(message)?.[1] ?? ''];
}

function useCredentialForm(credential: Credential | undefined, onClose: () => void) {
  const vendors = useApi('listVendorsForByokCredentials', {}).data?.data;
  const [given, setTyped] = useState<Typed>(() => ({
    vendor: credential?.vendor_code ?? '',
    name: credential?.name ?? '',
    secret: '',
    cloud: NO_CLOUD,
    address: credential?.base_url ?? '',
  }));
  const typed = given.vendor === '' ? { ...given, vendor: vendors?.[0]?.vendor_code ?? '' } : given;
  const [tested, setTested] = useState('');
  const test = useApiWrite('testCredential', []);
  const made = useApiWrite('hostCredential', ['listByokCredentials']);
  const changed = useApiWrite('updateByokCredential', ['listByokCredentials']);
  const write = credential === undefined ? made : changed;
  const address = typed.address.trim() === '' ? null : typed.address.trim();
  const forms = vendors?.find(({ vendor_code: code }) => code === typed.vendor)?.secrets ?? [];
  const secret = forms.length === 0 ? typed.secret.trim() : secretOf(forms, typed.cloud);
  const movesAddress = address !== (credential?.base_url ?? null);
  // Only what is sent to the vendor must be tested: another name is saved as it is.
  const needsTest = credential === undefined || secret !== '' || movesAddress;
  const state = JSON.stringify([typed.vendor, secret, address]);
  const works = test.data?.data.ok === true && tested === state;
  const hasChange = needsTest || typed.name.trim() !== credential.name;
  const canTest = typed.vendor !== '' && (secret !== '' || (credential !== undefined && !movesAddress));
  const runTest = () => {
    write.reset();
    setTested(state);
    const fresh = { vendor_code: typed.vendor, secret, base_url: address };
    test.mutate({ body: secret === '' && credential !== undefined ? { id: credential.id } : fresh });
  };
  const save = () => {
    const name = typed.name.trim();
    const then = { onSuccess: onClose };
    if (credential === undefined) {
      return made.mutate({ body: { vendor_code: typed.vendor, name, secret, base_url: address } }, then);
    }
    const body = {
      ...{ id: credential.id, name },
      ...(secret !== '' && { secret }),
      ...(movesAddress && { base_url: address }),
    };
    return changed.mutate({ body }, then);
  };
  const errors = [write.error, tested === state ? test.error : null].filter((each) => each !== null);
  return {
    ...{ typed, test, write, fieldOf, runTest, save, canTest },
    vendors,
    vendor: vendors?.find(({ vendor_code: code }) => code === typed.vendor),
    change: (change: Partial<Typed>) => {
      setTyped({ ...typed, ...change });
      write.reset();
    },
    isStale: tested !== state,
    canSave: typed.name.trim() !== '' && hasChange && (!needsTest || works) && !write.isPending,
    errorOf: (field: keyof Typed) => errors.find((each) => fieldOf(each) === field)?.message,
  };
}
