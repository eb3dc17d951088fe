import type { CapabilityOverrides } from '../../kernel/capability.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { CloudKind } from '../contract.ts';
import type { PriceName } from '../price-fields.ts';

/** What is known of a vendor before somebody has an account. Its file in `vendors` is its only source. */
export interface Preset {
  readonly code: string;
  readonly name: string;
  /** The variable of the environment whose key makes a default catalogue; most vendors have none. */
  readonly variable: string | undefined;
  /** A vendor of the catalogue has one of them. The first is the usual one. */
  readonly addresses: readonly PresetAddress[];
  /** It needs more than an address and a key (cloud-questions.ts). */
  readonly cloud: CloudKind | undefined;
  /** Where its keys are made. */
  readonly keysUrl: string | undefined;
  readonly needsKey: boolean;
  readonly tried: Tried;
  readonly quirks: Quirks;
  /** Put on every route to it, because the table of models does not know it. */
  readonly capabilities: CapabilityOverrides | undefined;
  readonly notes: readonly string[];
  /** What LiteLLM's public price map calls it. */
  readonly priceMap: string | undefined;
  readonly models: readonly PresetModel[];
}

export interface PresetAddress {
  readonly protocols: readonly Protocol[];
  /** Of a cloud with fields in braces: `https://{resource}.openai.azure.com`. */
  readonly baseUrl: string;
  /** Of a cloud: only if this field is given (`api_version`), or has this value (`location=global`). */
  readonly when: string | undefined;
  /** For vendors with separate accounts in China and elsewhere. */
  readonly site: Site | undefined;
}

export const SITES = ['china', 'international'] as const;
export type Site = (typeof SITES)[number];

/** How it was seen to work: against recordings of the vendor itself, or only against the simulators. */
export const TRIED = ['vendor', 'recordings', 'simulator', 'nothing'] as const;
export type Tried = (typeof TRIED)[number];

/** How it differs on the wire from the protocol that it speaks. */
export interface Quirks {
  /** Fields of a chat request, `developer_role`, and `unknown_fields` for all that it does not know. */
  readonly refuses: readonly string[];
  /** `asked`: with `stream_options`; `always`: in the last event; `choice`: inside the last choice. */
  readonly streamUsage: (typeof STREAM_USAGE)[number];
  /** Whether a stream ends with `[DONE]`, or its protocol's own last event. */
  readonly streamEnd: (typeof STREAM_END)[number];
  /** Where its thinking stands in an answer of Chat Completions. */
  readonly reasoning: (typeof REASONING)[number];
  /** It sends comment lines in streams. */
  readonly streamComments: boolean;
}

export const STREAM_USAGE = ['asked', 'always', 'choice', 'never'] as const;
export const STREAM_END = ['done', 'none'] as const;
export const REASONING = ['none', 'reasoning_content', 'reasoning', 'think_tags'] as const;

export interface PresetModel {
  readonly id: string;
  /** The vendor's name of it, if it is another one. */
  readonly forward: string | undefined;
  /** Undefined: those of the address that make text. */
  readonly protocols: readonly Protocol[] | undefined;
  readonly name: string;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly features: readonly string[];
  /** Part of the default catalogue. */
  readonly isOffered: boolean;
  /** Undefined: no figure was found. */
  readonly prices: ListPrices | undefined;
}

export const CURRENCIES = ['CNY', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Where a figure was read: LiteLLM's public price map, or a public copy of the vendor's price page. */
export const PRICE_SOURCES = ['price-map', 'page-copy'] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** What a model is served by whose file does not say it. */
export const TEXT_PROTOCOLS: readonly Protocol[] = ['responses', 'chat', 'messages', 'gemini'];

/** What the vendor asks for a million tokens, or for an item. */
export interface ListPrices {
  readonly currency: Currency;
  /** The day of the figure. */
  readonly asOf: string;
  readonly source: PriceSource;
  /** Of a vendor with several sites, the one whose prices these are. */
  readonly site: Site | undefined;
  /** Exact decimals, as they are written. */
  readonly amounts: Readonly<Partial<Record<PriceName, string>>>;
}
