import type { Data } from '../../api/api.ts';

export type Preset = Data<'listVendorPresets'>[number];
export type VendorProtocol = Preset['addresses'][number]['protocols'][number];
type CloudQuestions = NonNullable<Preset['cloud']>;
export type SecretForms = CloudQuestions['secrets'];

/** What is typed for a cloud: its fields, and a secret in one of its forms. */
export interface CloudDraft {
  readonly fields: Readonly<Record<string, string>>;
  /** Of the secret; empty: the first. */
  readonly form: string;
  readonly parts: Readonly<Record<string, string>>;
  /** A secret that is one text. */
  readonly whole: string;
}

export const NO_CLOUD: CloudDraft = { fields: {}, form: '', parts: {}, whole: '' };

const textOf = (values: Readonly<Record<string, string>>, name: string): string => values[name]?.trim() ?? '';

export interface FoundAddress {
  readonly protocols: readonly VendorProtocol[];
  /** Empty: a field of it is missing. */
  readonly base_url: string;
}

/** The address of a preset, with the fields of a cloud in it. */
export function addressOf({ addresses }: Preset, fields: CloudDraft['fields']): FoundAddress {
  const isMet = (when: string): boolean => {
    const [name = '', value] = when.split('=');
    return value === undefined ? textOf(fields, name) !== '' : textOf(fields, name) === value;
  };
  const chosen =
    addresses.find(({ when }) => when !== null && isMet(when)) ??
    addresses.find(({ when }) => when === null) ??
    addresses[0];
  if (chosen === undefined) return { protocols: ['chat'], base_url: '' };
  const { protocols } = chosen;
  const names = [...chosen.base_url.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  if (names.some((name) => textOf(fields, name) === '')) return { protocols, base_url: '' };
  const url = chosen.base_url.replace(/\{([a-z_]+)\}/g, (_all, name: string) => textOf(fields, name));
  return { protocols, base_url: url };
}

/** What a vendor of the catalogue says of its cloud. Undefined: it is none. */
export function cloudOf({ cloud }: Preset, fields: CloudDraft['fields']): Record<string, string> | undefined {
  if (cloud === null) return undefined;
  const own = cloud.fields.filter(({ of, name }) => of === 'cloud' && textOf(fields, name) !== '');
  return { kind: cloud.kind, ...Object.fromEntries(own.map(({ name }) => [name, textOf(fields, name)])) };
}

/** The secret as it is stored. Empty: something of it is missing. */
export function secretOf(forms: SecretForms, draft: CloudDraft): string {
  const form = forms.find((each) => each.form === draft.form) ?? forms[0];
  if (form === undefined) return '';
  if (form.fixed !== null) return form.fixed;
  if (form.parts.length === 0) return draft.whole.trim();
  if (form.parts.some(({ name, required }) => required && textOf(draft.parts, name) === '')) return '';
  const typed = form.parts.filter(({ name }) => textOf(draft.parts, name) !== '');
  return JSON.stringify(Object.fromEntries(typed.map(({ name }) => [name, textOf(draft.parts, name)])));
}

const TEXT: readonly VendorProtocol[] = ['responses', 'chat', 'messages', 'gemini'];

/** What serves a model at an address: what its preset says, else what makes text. */
export function protocolsFor(
  preset: Preset | undefined,
  spoken: readonly VendorProtocol[],
  model: string,
): readonly VendorProtocol[] {
  const known = preset?.models.find((each) => each.model_id === model || each.forward_model_id === model);
  // Clouds with models of several makers serve Claude by Messages, and the others by something else.
  const isClaude = model.includes('claude');
  const guess =
    known === undefined && preset?.cloud != null
      ? TEXT.filter((each) => (each === 'messages') === isClaude)
      : TEXT;
  const served = spoken.filter((each) => (known?.protocols ?? guess).includes(each));
  return served.length === 0 ? spoken : served;
}

/** The code of a vendor of the catalogue for a cloud: another region is another vendor. */
export function cloudVendorCode(
  preset: Preset,
  { base_url: url, cloud }: { readonly base_url: string; readonly cloud: Record<string, string> },
  vendors: readonly { readonly code: string; readonly base_url: string; readonly cloud?: unknown }[],
): string {
  const set = (parts: unknown): string =>
    JSON.stringify(
      Object.entries((parts ?? {}) as object)
        .filter(([, value]) => value !== null)
        .sort(),
    );
  const place = cloud.region ?? cloud.location ?? /\/\/([a-z0-9-]+)/.exec(url)?.[1] ?? '';
  for (let number = 0; ; number++) {
    const ending = number > 1 ? `${place}-${number}` : place;
    const code = number === 0 ? preset.code : `${preset.code}-${ending}`;
    const vendor = vendors.find((each) => each.code === code);
    if (vendor === undefined) return code;
    if (vendor.base_url === url && set(vendor.cloud) === set(cloud)) return code;
  }
}
