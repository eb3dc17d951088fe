import { readCloudSecret, secretOnOneLine } from '../../catalog/cloud.ts';
import type { Cloud, Credential, Route, Vendor } from '../../catalog/contract.ts';
import { jsonTree } from '../../catalog/file/json-tree.ts';
import { formatProblem, Problems } from '../../catalog/file/problems.ts';
import { cloudShape, whyNotServed } from '../../catalog/file/shape-cloud.ts';
import { LIST_RATE_MICRO } from '../../catalog/price.ts';
import { MICRO } from '../../kernel/money.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { record } from '../../store/operations/audit.ts';
import { findRoute, type Probe } from '../../upstream/probe.ts';
import type { Context } from '../context.ts';
import { fail } from '../failure.ts';
import { ID_PARAMS, nullable } from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';

const GROUP = { ...OPERATORS, tag: 'Catalogue' } as const;
const MS = Type.Integer({ minimum: 0 });

const RESULT = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'The vendor’s HTTP status. Null if no answer came.' })),
  duration_ms: MS,
  first_byte_ms: nullable(MS),
  message: nullable(Type.String({ description: 'The vendor’s message, shortened and without secrets.' })),
});
const RESULT_EXAMPLE = { ok: true, status: 200, duration_ms: 412, first_byte_ms: 388, message: null };
const ANSWERED = { data: RESULT, fails: ['notFound', 'tooManyRequests'] as const };
const MODEL = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The vendor’s name of the model.',
});
const PROTOCOL = Type.Union(PROTOCOLS.map((name) => Type.Literal(name)));

/** A credential that is not saved, of a vendor that may not be saved either. */
export const NEW_CREDENTIAL = {
  vendor: Type.String({ minLength: 1, maxLength: 64 }),
  protocol: PROTOCOL,
  base_url: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 2_048 }))),
  secret: Type.String({ minLength: 1, maxLength: 8_192 }),
  cloud: Type.Optional(
    nullable(
      Type.Record(Type.Unknown(), {
        description: 'Of a cloud that is not saved: `kind` and what it needs. Keys as in docs/vendors.md.',
      }),
    ),
  ),
};

const testRoute: Operation = operation({
  ...GROUP,
  ...ANSWERED,
  name: 'routes.test',
  id: 'testRoute',
  method: 'POST',
  path: '/routes/:id/test',
  title: 'Test a route',
  summary: 'Make one minimal call on a route, also on a disabled one. Nobody is charged for it.',
  params: ID_PARAMS,
  example: { data: RESULT_EXAMPLE },
  handle: ({ params }, context) => {
    const route = listAllRoutes(context).find(({ id }) => id === params.id);
    if (route === undefined) return Promise.resolve(fail('notFound'));
    return runTest(context, testRoute, { route, entity: 'routes', key: String(params.id) });
  },
});

const testCredential: Operation = operation({
  ...GROUP,
  ...ANSWERED,
  name: 'credentials.test',
  id: 'testPlatformCredential',
  method: 'POST',
  path: '/credentials/:id/test',
  title: 'Test a platform credential',
  summary: 'Make one minimal call with a credential of the platform, by default to its cheapest text model.',
  params: ID_PARAMS,
  body: Type.Object({ model: Type.Optional(MODEL), protocol: Type.Optional(PROTOCOL) }),
  example: { body: { model: 'gpt-5-mini' }, data: RESULT_EXAMPLE },
  handle: ({ params, body }, context) => {
    const catalog = context.catalog();
    const credential = [...catalog.credentials.values()].find(({ id }) => id === params.id);
    const vendor = credential && catalog.vendors.get(credential.vendorCode);
    if (credential === undefined || vendor === undefined) return Promise.resolve(fail('notFound'));
    const own = listAllRoutes(context).find((each) => each.credential.id === credential.id);
    const known = body.model === undefined ? (own ?? findRoute(catalog, vendor)) : undefined;
    const model = body.model ?? known?.forwardModelId;
    if (model === undefined) return Promise.resolve(fail('badParameter', 'model is required'));
    const protocols = body.protocol === undefined ? (known?.protocols ?? vendor.protocols) : [body.protocol];
    const route = trialRoute(vendor, credential, { model, protocols });
    return runTest(context, testCredential, { route, entity: 'credentials', key: String(params.id) });
  },
});

const testNew: Operation = operation({
  ...GROUP,
  ...ANSWERED,
  name: 'credentials.testNew',
  id: 'testNewPlatformCredential',
  method: 'POST',
  path: '/credentials/test',
  title: 'Test a new platform credential',
  summary:
    'Make one minimal call with a credential that is not saved. A vendor that is not saved needs base_url.',
  body: Type.Object({ ...NEW_CREDENTIAL, model: MODEL }),
  example: {
    body: { vendor: 'openai', protocol: 'chat', secret: 'sk-0123456789abcdef', model: 'gpt-5-mini' },
    data: RESULT_EXAMPLE,
  },
  handle: ({ body }, context) => {
    const route = readNewRoute(context, body);
    if ('wrong' in route) return Promise.resolve(fail('badParameter', route.wrong));
    return runTest(context, testNew, { route, entity: 'credentials', key: `new of ${body.vendor}` });
  },
});

interface NewCredential {
  readonly vendor: string;
  readonly protocol: Protocol;
  readonly base_url?: string | null;
  readonly secret: string;
  readonly cloud?: Readonly<Record<string, unknown>> | null;
  readonly model: string;
}

/** A way to a vendor that is not saved, or what is wrong with it. */
export function readNewRoute(
  context: Context,
  { vendor: code, protocol, base_url: address, secret: given, cloud: parts, model }: NewCredential,
): Route | { readonly wrong: string } {
  const baseUrl = address ?? undefined;
  const secret = secretOnOneLine(given);
  if (!/^[!-~]+$/.test(secret)) return { wrong: 'secret must be printable characters without spaces' };
  if (baseUrl !== undefined && !isWebAddress(baseUrl)) {
    return { wrong: 'base_url must be an http or https address without user, query and fragment' };
  }
  const cloud = parts == null ? undefined : readCloud(parts);
  if (typeof cloud === 'string') return { wrong: cloud };
  const vendor = context.catalog().vendors.get(code) ?? newVendor({ code, protocol, baseUrl, cloud });
  if (vendor === undefined) return { wrong: 'base_url is required' };
  const whyNot = whyNotServed({ cloud: vendor.cloud, protocols: [protocol] });
  if (whyNot !== undefined) return { wrong: `protocol: ${whyNot}` };
  const read = vendor.cloud === undefined ? undefined : readCloudSecret(vendor.cloud.kind, secret);
  if (read?.kind === 'invalid') return { wrong: `secret ${read.why}` };
  return trialRoute(vendor, newCredential(code, secret, baseUrl), { model, protocols: [protocol] });
}

function listAllRoutes(context: Context): readonly Route[] {
  return [...context.catalog().models.values()].flatMap(({ routes }) => routes);
}

/** As the catalogue file has it. */
function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/** By the rules of the catalogue file; a text says what is wrong. */
function readCloud(parts: Readonly<Record<string, unknown>>): Cloud | string {
  const problems = new Problems();
  const cloud = cloudShape({ tree: jsonTree(parts, problems), path: 'cloud', problems });
  if (cloud !== undefined && !problems.found) return cloud;
  return problems.list().map(formatProblem).join('; ');
}

interface NewVendor {
  readonly code: string;
  readonly protocol: Protocol;
  readonly baseUrl: string | undefined;
  readonly cloud: Cloud | undefined;
}

function newVendor({ code, protocol, baseUrl, cloud }: NewVendor): Vendor | undefined {
  if (baseUrl === undefined) return undefined;
  const parts = { code, name: code, icon: code, protocols: [protocol], baseUrl, cloud };
  return { ...parts, rateMicro: LIST_RATE_MICRO, byok: false, customBaseUrl: false };
}

function newCredential(vendorCode: string, secret: string, baseUrl: string | undefined): Credential {
  return {
    ...{ id: 0, name: 'on trial', vendorCode, secret, baseUrl, rateMicro: LIST_RATE_MICRO },
    ...{ limits: {}, status: 'enabled', ownerAccountId: undefined },
  };
}

function trialRoute(
  vendor: Vendor,
  credential: Credential,
  { model, protocols }: { readonly model: string; readonly protocols: readonly Protocol[] },
): Route {
  return {
    ...{ id: 0, modelId: model, vendor, credential, forwardModelId: model, protocols },
    ...{ priority: 0, weight: 1, rateMultiplierMicro: MICRO, status: 'enabled', capabilities: undefined },
  };
}

interface Trial {
  readonly route: Route;
  readonly entity: string;
  readonly key: string;
}

const BUSY_MS = 1_000;

/** No call: it passes no gate, has no journal and no log. The audit log says who made it. */
async function runTest(
  context: Context,
  { name }: Operation,
  { route, entity, key }: Trial,
): Promise<Answer> {
  const probed = await context.prober.test(`${entity} ${key}`, route);
  if (probed.kind === 'busy') {
    return fail('tooManyRequests', 'A test is running already, please try again', BUSY_MS);
  }
  const result = shownResult(probed);
  const { forwardModelId: model, credential, vendor } = route;
  const after = { vendor: vendor.code, credential: credential.name, model, ...result };
  const entry = { entity, key, before: null, after };
  const actor = toActor(context, { name });
  await context.database.transaction((transaction) => record(transaction, actor, entry));
  return data(result);
}

function shownResult(probed: Exclude<Probe, { kind: 'busy' }>): object {
  return {
    ...{ ok: probed.kind === 'works', status: probed.status ?? null, duration_ms: probed.latencyMs },
    first_byte_ms: probed.firstByteMs ?? null,
    message: probed.kind === 'works' ? null : probed.message,
  };
}

/** Real calls to a vendor, to see whether a route or a credential works. */
export const testOperations: readonly Operation[] = [testRoute, testCredential, testNew];
