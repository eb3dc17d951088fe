import type { CredentialUse } from '../../accounts/views.ts';
import { whyNotOwn } from '../../catalog/cloud.ts';
import type { Vendor } from '../../catalog/contract.ts';
import { type ByokRefusal, listByok, openByok } from '../../store/accounts/byok.ts';
import { sumCredentialUse } from '../../store/accounts/credential-use.ts';
import { judgeByokAddress } from '../../upstream/guard/byok-address.ts';
import type { Probe } from '../../upstream/probe.ts';
import { CREDENTIAL_STATS_DAYS_MAX } from '../bounds.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, NAME, nullable, TIME } from '../fields.ts';
import { readTimeRange } from '../logs/log-filter.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import {
  ADDRESS,
  byokContext,
  HOSTED_GROUP,
  readSecret,
  SECRET,
  toByokFailure,
  VENDOR_CODE,
} from './byok.ts';

const RESULT = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'The vendor’s HTTP status. Null if no answer came.' })),
  latency_ms: Type.Integer({ minimum: 0 }),
  message: nullable(Type.String({ description: 'The vendor’s message, shortened.' })),
});

const test = operation({
  ...HOSTED_GROUP,
  name: 'byok.test',
  id: 'testCredential',
  method: 'POST',
  path: '/credential/test',
  title: 'Test a credential',
  summary: 'Make one minimal call with a new BYOK credential, or with a stored one by its id.',
  body: Type.Object({
    id: Type.Optional(ID),
    vendor_code: Type.Optional(VENDOR_CODE),
    name: Type.Optional(NAME),
    secret: Type.Optional(SECRET),
    base_url: Type.Optional(nullable(ADDRESS)),
  }),
  data: RESULT,
  fails: ['notFound', 'tooManyRequests'],
  example: {
    body: { vendor_code: 'openai', secret: 'sk-0123456789abcdef' },
    data: { ok: true, status: 200, latency_ms: 412, message: null },
  },
  handle: async ({ body }, context) => {
    const { id, vendor_code: vendorCode, secret, base_url: baseUrl } = body;
    const accountId = ownAccount(context);
    // With an id nothing else counts: a stored secret is never sent to an address of the request.
    if (id !== undefined) return testStored(context, id);
    if (vendorCode === undefined) return fail('badParameter', 'vendor_code or id is required');
    if (secret === undefined) return fail('badParameter', 'secret or id is required');
    const line = readSecret(secret);
    if (typeof line !== 'string') return line;
    const target = judge(context, vendorCode, baseUrl ?? undefined);
    if (target.kind !== 'target') return toByokFailure(target);
    const why = whyNotOwn(target.vendor.cloud, line);
    if (why !== undefined) return toByokFailure({ kind: 'bad-secret', why });
    const wanted = { accountId, vendor: target.vendor, secret: line, baseUrl: target.baseUrl };
    return told(await context.prober.probe(wanted, context.catalog()));
  },
});

type Target = { readonly kind: 'target'; readonly vendor: Vendor; readonly baseUrl: string | undefined };

/** In the order of saving, so that both refuse for the same reason. */
function judge(context: Context, vendorCode: string, text: string | undefined): Target | ByokRefusal {
  const judged = text === undefined ? undefined : judgeByokAddress(text, byokContext(context).ownHosts);
  if (judged?.kind === 'refused') return { kind: 'bad-address', why: judged.why };
  const vendor = context.catalog().vendors.get(vendorCode);
  if (vendor === undefined || !vendor.byok) return { kind: 'vendor-closed' };
  if (judged !== undefined && !vendor.customBaseUrl) return { kind: 'address-closed' };
  return { kind: 'target', vendor, baseUrl: judged?.baseUrl };
}

const CLOSED = {
  kind: 'fails',
  status: undefined,
  latencyMs: 0,
  firstByteMs: undefined,
  message: 'The vendor no longer allows such a credential',
} as const;

/** With a stored credential, at its stored address only. */
async function testStored(context: Context, credentialId: number): Promise<Answer> {
  const accountId = ownAccount(context);
  const catalog = context.catalog();
  const stored = await openByok(context.database, { accountId, credentialId }, context);
  const vendor = stored && catalog.vendors.get(stored.vendorCode);
  if (stored === undefined || vendor === undefined) return fail('notFound');
  const { secret, baseUrl } = stored;
  // As in calls: a vendor that was closed in the meantime gets no request.
  if (!vendor.byok || (baseUrl !== undefined && !vendor.customBaseUrl)) return told(CLOSED);
  return told(await context.prober.probe({ accountId, vendor, secret, baseUrl }, catalog));
}

const BUSY_MS = 1_000;

function told(probed: Probe): Answer {
  switch (probed.kind) {
    case 'busy':
      return fail('tooManyRequests', 'A test is running already, please try again', BUSY_MS);
    case 'works':
      return data({ ok: true, status: probed.status, latency_ms: probed.latencyMs, message: null });
    case 'fails': {
      const { status = null, latencyMs, message } = probed;
      return data({ ok: false, status, latency_ms: latencyMs, message });
    }
  }
}

const COUNT = Type.Integer({ minimum: 0 });
const DAY_MS = 86_400_000;
const STATS_DAYS = 30;

const stats = operation({
  ...HOSTED_GROUP,
  name: 'byok.stats',
  id: 'getUsageOfByokCredentials',
  method: 'GET',
  path: '/credential/stats',
  title: 'Get usage of BYOK credentials',
  summary: 'Usage of the BYOK credentials in a period, by default the last thirty days.',
  query: Type.Object({ from: Type.Optional(TIME), to: Type.Optional(TIME) }),
  data: Type.Array(
    Type.Object({
      id: nullable(ID),
      name: Type.String(),
      vendor_code: nullable(VENDOR_CODE),
      calls: COUNT,
      failed: COUNT,
      input_tokens: COUNT,
      output_tokens: COUNT,
      images: COUNT,
    }),
  ),
  example: {
    data: [
      {
        id: 4,
        name: 'my account',
        vendor_code: 'openai',
        calls: 120,
        failed: 2,
        input_tokens: 54_000,
        output_tokens: 8_100,
        images: 0,
      },
    ],
  },
  handle: async ({ query }, context) => {
    const asked = readTimeRange(query, context);
    if ('kind' in asked) return asked;
    const { toMs = context.clock.now() } = asked;
    const { fromMs = toMs - STATS_DAYS * DAY_MS } = asked;
    if (fromMs >= toMs) return fail('badParameter', 'from must be before to');
    if (toMs - fromMs > CREDENTIAL_STATS_DAYS_MAX * DAY_MS) {
      return fail('badParameter', `from must be at most ${CREDENTIAL_STATS_DAYS_MAX} days before to`);
    }
    const accountId = ownAccount(context);
    const [uses, own] = await Promise.all([
      sumCredentialUse(context.database, accountId, { fromMs, toMs }),
      listByok(context.database, accountId),
    ]);
    return data(
      uses.map((one) =>
        shownUse(
          one,
          own.find(({ name }) => name === one.name),
        ),
      ),
    );
  },
});

function shownUse(
  { name, calls, failed, inputTokens, outputTokens, images }: CredentialUse,
  credential: { readonly id: number; readonly vendorCode: string } | undefined,
): object {
  return {
    id: credential?.id ?? null,
    name,
    vendor_code: credential?.vendorCode ?? null,
    calls: Number(calls),
    failed: Number(failed),
    input_tokens: Number(inputTokens),
    output_tokens: Number(outputTokens),
    images: Number(images),
  };
}

export const byokUseOperations: readonly Operation[] = [test, stats];
