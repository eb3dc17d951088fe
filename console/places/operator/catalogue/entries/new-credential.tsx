import { type FormEvent, useState } from 'react';
import { type ApiError, callApi, type Data, useApi } from '../../../../api/api.ts';
import { queries } from '../../../../api/queries.ts';
import { Button } from '../../../../parts/button.tsx';
import {
  addressOf,
  type CloudDraft,
  cloudOf,
  NO_CLOUD,
  type Preset,
  protocolsFor,
  type SecretForms,
  secretOf,
  type VendorProtocol,
} from '../../../../parts/cloud/cloud-draft.ts';
import { CloudFields, CloudSecret } from '../../../../parts/cloud/cloud-fields.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Input, NumberInput, PasswordInput } from '../../../../parts/form/input.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Drawer } from '../../../../parts/overlay/drawer.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import { duration, written } from '../../../../parts/text/format.ts';
import css from '../catalogue.module.css';
import { entriesOf, findEntry } from '../changes/document.ts';
import { routesOf } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import type { Catalogue } from '../use-catalogue.ts';

type TestResult = Data<'testNewPlatformCredential'>;

interface VendorChoice {
  readonly code: string;
  readonly name: string;
  readonly protocols: readonly VendorProtocol[];
  readonly baseUrl: string;
  /** The forms of its secret, if it is a cloud. */
  readonly secrets: SecretForms;
  readonly preset: Preset | undefined;
  readonly isKnown: boolean;
  /** A model to test with. */
  readonly model: string;
}

/** The vendors of the catalogue, then well-known ones that it has not yet. */
function choicesOf({ base }: Catalogue, presets: readonly Preset[]): readonly VendorChoice[] {
  const models = entriesOf(base, 'models');
  const modelOf = (code: string) => {
    const model = models.find((each) => routesOf(each).some(({ vendor }) => vendor === code));
    const route = model && routesOf(model).find(({ vendor }) => vendor === code);
    return String(route?.forward_model_id ?? model?.model_id ?? '');
  };
  const known = entriesOf(base, 'vendors').map((vendor): VendorChoice => {
    const code = String(vendor.code);
    const kind = (vendor.cloud as { readonly kind?: string } | undefined)?.kind;
    const preset = presets.find((each) =>
      kind === undefined ? each.code === code : each.cloud?.kind === kind,
    );
    return {
      ...{ code, name: String(vendor.name ?? code), baseUrl: String(vendor.base_url), isKnown: true },
      ...{ secrets: kind === undefined ? [] : (preset?.cloud?.secrets ?? []), preset },
      protocols: vendor.protocols as readonly VendorProtocol[],
      model: modelOf(code) || (preset?.models[0]?.forward_model_id ?? ''),
    };
  });
  const others = presets.flatMap((preset): VendorChoice[] => {
    const { code, name, addresses, models, cloud } = preset;
    const [address] = addresses;
    if (address === undefined || findEntry(base, 'vendors', code) !== undefined) return [];
    return [
      {
        ...{ code, name, protocols: address.protocols, baseUrl: address.base_url, isKnown: false },
        ...{ secrets: cloud?.secrets ?? [], preset, model: models[0]?.forward_model_id ?? '' },
      },
    ];
  });
  return [...known, ...others];
}

interface Typed {
  readonly vendor: string;
  readonly name: string;
  readonly secret: string;
  readonly model: string;
  readonly rate: string;
  readonly cloud: CloudDraft;
}

/** What is sent: of a cloud that is new, with what its fields say. */
function vendorOf(choice: VendorChoice, { cloud: draft, secret }: Typed) {
  const { preset, isKnown, secrets } = choice;
  const isCloud = secrets.length > 0;
  const whole = isCloud ? secretOf(secrets, draft) : secret;
  if (!isCloud || isKnown || preset === undefined) return { ...choice, secret: whole, cloud: undefined };
  const { protocols, base_url: baseUrl } = addressOf(preset, draft.fields);
  return { ...choice, protocols, baseUrl, secret: whole, cloud: cloudOf(preset, draft.fields) };
}

/** Tests the secret with the vendor, then saves it. A secret never waits in a draft. */
function useSave(onSaved: (name: string) => void) {
  const [state, setState] = useState<{ pending?: boolean; result?: TestResult; error?: ApiError }>({});
  const run = async (vendor: VendorChoice, typed: Typed, isTested: boolean) => {
    setState({ pending: true });
    try {
      const { name, rate } = typed;
      const { secret, cloud, protocols, baseUrl } = vendorOf(vendor, typed);
      const ofCloud = cloud === undefined ? {} : { cloud };
      if (!isTested) {
        const model = typed.model || vendor.model;
        const [protocol = 'chat'] = protocolsFor(vendor.preset, protocols, model);
        const base = vendor.isKnown ? {} : { base_url: baseUrl, ...ofCloud };
        const body = { vendor: vendor.code, protocol, secret, model, ...base };
        const { data: result } = await callApi('testNewPlatformCredential', { body });
        if (!result.ok) return setState({ result });
      }
      if (!vendor.isKnown) {
        const { code, name: title } = vendor;
        const body = { code, name: title, protocols, base_url: baseUrl, ...ofCloud };
        await callApi('createVendor', { body });
      }
      await callApi('createCredential', { body: { vendor: vendor.code, name, secret, rate } });
      await queries.invalidateQueries();
      onSaved(name);
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return { ...state, run };
}

/** A key of a vendor, tested before it is saved. */
export function NewCredential({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const { catalogue, onSearch } = page;
  const presets = useApi('listVendorPresets', {}).data?.data ?? [];
  const choices = choicesOf(catalogue, presets);
  const [typed, setTyped] = useState<Typed>({
    vendor: '',
    name: '',
    secret: '',
    model: '',
    rate: '100',
    cloud: NO_CLOUD,
  });
  const { pending = false, result, error, run } = useSave((name) => onSearch({ add: undefined, edit: name }));
  const vendor = choices.find(({ code }) => code === typed.vendor) ?? choices[0];
  const set = (change: Partial<Typed>) => setTyped({ ...typed, ...change });
  const close = () => onSearch({ add: undefined }, { replace: true });
  const sent = vendor && vendorOf(vendor, typed);
  const isFull =
    vendor !== undefined &&
    ![typed.name, sent?.secret, sent?.baseUrl, typed.model || vendor.model].includes('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFull && !pending) void run(vendor, typed, false);
  };
  const title = t.sections.credentials.add;
  return (
    <Drawer
      {...{ label: title, title, onClose: close, size: 'narrow' }}
      foot={
        <div className={css.footRow}>
          <Button onClick={close}>{t.cancel}</Button>
          {result?.ok === false && vendor !== undefined && (
            <Button onClick={() => void run(vendor, typed, true)}>{t.credential.saveAnyway}</Button>
          )}
          <Button variant="primary" type="submit" form="new-credential" {...{ pending, disabled: !isFull }}>
            {t.credential.testAndSave}
          </Button>
        </div>
      }
    >
      <form id="new-credential" className={css.form} onSubmit={submit}>
        <Stack gap={16}>
          <Banner tone="info">{t.credential.notDrafted}</Banner>
          <CredentialFields {...{ choices, typed, vendor, set }} presets={presets} />
          {result?.ok === false && (
            <Banner tone="bad">{t.tried.fails(result.status, result.message ?? '')}</Banner>
          )}
          {result?.ok === true && (
            <Banner tone="info">{t.tried.works(written(duration(result.duration_ms)))}</Banner>
          )}
          {error !== undefined && <Banner tone="bad">{error.message}</Banner>}
        </Stack>
      </form>
    </Drawer>
  );
}

interface CredentialFieldsProps {
  readonly choices: readonly VendorChoice[];
  readonly presets: readonly Preset[];
  readonly typed: Typed;
  readonly vendor: VendorChoice | undefined;
  readonly set: (change: Partial<Typed>) => void;
}

function CredentialFields({ choices, presets, typed, vendor, set }: CredentialFieldsProps) {
  const t = useCatalogueTexts();
  const keysUrl = presets.find(({ code }) => code === vendor?.code)?.keys_url;
  const cloud = vendor?.preset?.cloud ?? undefined;
  const ofCloud = { draft: typed.cloud, onChange: (changed: CloudDraft) => set({ cloud: changed }) };
  return (
    <>
      <Field label={t.entity('vendor')} help={vendor?.isKnown === false ? t.credential.newVendor : undefined}>
        <Select
          value={vendor?.code ?? ''}
          onChange={(code) => set({ vendor: code, model: '', cloud: NO_CLOUD })}
          options={choices.map(({ code, name, isKnown }) => ({
            value: code,
            label: isKnown ? name : t.credential.presetVendor(name),
          }))}
        />
      </Field>
      <Field label={t.fields.name} help={t.credential.nameHelp}>
        <Input
          value={typed.name}
          autoComplete="off"
          placeholder={vendor === undefined ? '' : `${vendor.code}-main`}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      {cloud !== undefined && vendor?.isKnown === false && (
        <CloudFields {...ofCloud} cloud={cloud} hasAddress={false} />
      )}
      {vendor !== undefined && <CloudSecret {...ofCloud} forms={vendor.secrets} />}
      {vendor?.secrets.length === 0 && (
        <Field
          label={t.fields.secret}
          help={
            <>
              {t.credential.secretHelp}{' '}
              {keysUrl !== undefined && keysUrl !== null && (
                <a href={keysUrl} target="_blank" rel="noreferrer">
                  {t.credential.getKey}
                </a>
              )}
            </>
          }
        >
          <PasswordInput
            autoComplete="new-password"
            value={typed.secret}
            onChange={(event) => set({ secret: event.target.value })}
          />
        </Field>
      )}
      <Field label={t.credential.testModel} help={t.credential.testModelHelp}>
        <Input
          mono
          value={typed.model === '' ? (vendor?.model ?? '') : typed.model}
          onChange={(event) => set({ model: event.target.value })}
        />
      </Field>
      <Field label={t.fields.costRate} help={t.costHelp}>
        <NumberInput decimals value={typed.rate} onChange={(event) => set({ rate: event.target.value })} />
      </Field>
    </>
  );
}
