import { DIMENSIONS, ROUTINGS } from '../../catalog/contract.ts';
import type { EntryKind } from '../../catalog/entries.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import { AMOUNT, ID, nullable, STATUS, TIME } from '../fields.ts';
import { REMOVABLE, type TObject, type TProperties, type TSchema, Type } from '../schema.ts';
import { CONFIRM_FREE } from './confirm-free.ts';

/**
 * Entries of the catalogue as the API takes and shows them: the fields of the catalogue file. The forms of
 * values are here. The rules of the file check how they fit together.
 */
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
export const toChoiceSchema = <const Values extends readonly string[]>(values: Values) =>
  Type.Union(values.map((value) => Type.Literal(value)));
const list = <Item extends TSchema>(item: Item, maxItems: number) => Type.Array(item, { maxItems });

const COUNT = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const LEVEL = Type.Integer({ minimum: -1_000, maximum: 1_000 });
const SECONDS = Type.Integer({ minimum: 1, maximum: 366 * 86_400 });
const RATE = AMOUNT;
const PROTOCOL_LIST = list(toChoiceSchema(PROTOCOLS), PROTOCOLS.length);
const CAPABILITIES = Type.Record(Type.Unknown(), {
  description:
    'Capabilities of the vendor’s model that differ from the table of the gateway. Keys as in the catalogue file.',
});

/** A wrong field is told by the rules of the catalogue file, which name it. */
const CLOUD = Type.Record(Type.Unknown(), {
  description:
    'Of a vendor that is a cloud: `kind` and what it needs. Keys and secrets as in docs/vendors.md.',
});

const PRICES = Type.Object({
  input: Type.Optional(AMOUNT),
  output: Type.Optional(AMOUNT),
  cache_input: Type.Optional(nullable(AMOUNT)),
  cache_output: Type.Optional(nullable(AMOUNT)),
  cache_write: Type.Optional(nullable(AMOUNT)),
  image: Type.Optional(AMOUNT),
  video: Type.Optional(AMOUNT),
});
const LIMITS = Type.Object({
  concurrency: Type.Optional(nullable(COUNT)),
  rpm: Type.Optional(nullable(COUNT)),
  tpm: Type.Optional(nullable(COUNT)),
});
const WINDOW = Type.Object({ dimension: toChoiceSchema(DIMENSIONS), seconds: SECONDS, limit: AMOUNT });
const COVERS = Type.Object({
  models: Type.Optional(Type.Union([Type.Literal('*'), list(text(256), 10_000)])),
  windows: Type.Optional(list(Type.Object({ seconds: SECONDS, amount: AMOUNT }), 100)),
});

export interface EntrySchema {
  /** Fields that a new entry must have. */
  readonly required: TProperties;
  /** Set once: part of the identity of the entry. */
  readonly fixed: TProperties;
  /** Optional fields that can be changed. */
  readonly open: TProperties;
  /** Shown, but not accepted. */
  readonly shown: TProperties;
}

const ROUTE_OPEN = {
  protocols: nullable(PROTOCOL_LIST),
  priority: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
  weight: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  rate_multiplier: RATE,
  status: STATUS,
  capabilities: nullable(CAPABILITIES),
};

export const ENTRY_SCHEMAS: Readonly<Record<EntryKind, EntrySchema>> = {
  vendors: {
    required: { protocols: PROTOCOL_LIST, base_url: text(2_048) },
    fixed: { code: text(64) },
    open: {
      name: text(200),
      icon: text(200),
      rate: RATE,
      byok: Type.Boolean(),
      custom_base_url: Type.Boolean(),
      cloud: nullable(CLOUD),
    },
    shown: {},
  },
  credentials: {
    required: {
      secret: Type.String({
        minLength: 1,
        maxLength: 8_192,
        description: 'Never shown again. Answers have its last four characters.',
      }),
    },
    fixed: { name: text(100), vendor: text(64) },
    open: { base_url: nullable(text(2_048)), rate: RATE, limits: LIMITS, status: STATUS },
    shown: { id: ID },
  },
  models: {
    required: {},
    fixed: { model_id: text(256) },
    open: {
      name: text(200),
      status: STATUS,
      client_visible: Type.Boolean(),
      restriction: Type.Object({
        kind: toChoiceSchema(['none', 'verification', 'plan']),
        level: Type.Optional(LEVEL),
      }),
      support_features: list(toChoiceSchema(['text', 'image', 'audio', 'video']), 4),
      prices: PRICES,
      billing_modes: Type.Integer({ minimum: 1, maximum: 7 }),
      context_window: nullable(COUNT),
      max_output_tokens: nullable(COUNT),
      routing: toChoiceSchema(ROUTINGS),
      batch_rate: RATE,
      capabilities: nullable(CAPABILITIES),
    },
    shown: {},
  },
  routes: {
    required: {},
    fixed: { model_id: text(256), vendor: text(64), credential: text(100) },
    open: ROUTE_OPEN,
    shown: { id: ID, forward_model_id: text(256) },
  },
  policies: {
    required: { name: text(200) },
    fixed: {},
    open: {
      concurrency: nullable(COUNT),
      windows: list(WINDOW, 100),
      selectable: nullable(
        Type.Boolean({
          description: 'Whether users may choose it for their keys. Null: yes, unless it belongs to a plan.',
        }),
      ),
    },
    shown: { id: ID },
  },
  plans: {
    required: { level: Type.Integer({ minimum: 1, maximum: 3 }) },
    fixed: { code: text(64) },
    open: {
      name: text(200),
      price: AMOUNT,
      days: Type.Integer({ minimum: 1, maximum: 36_600 }),
      policy: nullable(ID),
      covers: COVERS,
    },
    shown: {},
  },
  nodes: {
    required: { base_url: text(2_048) },
    fixed: { name: text(200) },
    open: { region: text(200), rate: RATE },
    shown: {},
  },
  announcements: {
    required: { title: text(200), starts_at: TIME, ends_at: TIME },
    fixed: {},
    open: { body: Type.String({ maxLength: 20_000 }) },
    shown: { id: ID },
  },
};

/** Set when the entry is created, or generated; never changed. */
const CHOSEN: Readonly<Partial<Record<EntryKind, TProperties>>> = {
  routes: { forward_model_id: text(256) },
  policies: { id: ID },
  announcements: { id: ID },
};

function optional(fields: TProperties): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));
}

/** Kinds whose entries have a price, or a rate that prices are multiplied by. */
const PRICED: readonly EntryKind[] = ['vendors', 'credentials', 'models', 'routes', 'plans', 'nodes'];

function confirmationOf(kind: EntryKind): TProperties {
  return PRICED.includes(kind) ? { confirm_free: CONFIRM_FREE } : {};
}

export function createSchema(kind: EntryKind): TObject {
  const { required, fixed, open } = ENTRY_SCHEMAS[kind];
  const chosen = { ...CHOSEN[kind], ...open, ...confirmationOf(kind) };
  return Type.Object({ ...fixed, ...required, ...optional(chosen) });
}

/** Absent fields stay as they are, and null removes one (rule I-83). */
export function updateSchema(kind: EntryKind): TObject {
  const { required, open } = ENTRY_SCHEMAS[kind];
  return Type.Object(optional({ ...required, ...removable(open), ...confirmationOf(kind) }));
}

/** An object is merged member by member, so a change need not name them all. */
function removable(fields: TProperties): TProperties {
  const made = Object.entries(fields).map(([name, schema]) => {
    const { properties } = schema;
    const form = properties === undefined ? schema : Type.Object(optional(removable(properties)));
    return [name, { ...form, [REMOVABLE]: true }];
  });
  return Object.fromEntries(made) as TProperties;
}

export function shownSchema(kind: EntryKind): TObject {
  const { required, fixed, open, shown } = ENTRY_SCHEMAS[kind];
  return Type.Object({ ...shown, ...fixed, ...required, ...open });
}

const DEFAULTS = {
  policy: nullable(ID),
  user_rate: RATE,
  api_billing: Type.Boolean(),
  auto_exchange: Type.Boolean(),
};
const GRANTS = { personal: AMOUNT, enterprise: AMOUNT };

export const SETTINGS = Type.Object({
  system_rate: RATE,
  defaults: Type.Object(DEFAULTS),
  verification_grants: Type.Object(GRANTS),
});
export const SETTINGS_CHANGE = Type.Object(
  optional({ ...removable(SETTINGS.properties), confirm_free: CONFIRM_FREE }),
);
