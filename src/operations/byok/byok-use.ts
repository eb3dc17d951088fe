import type { CredentialUse } from '../../accounts/views.ts';
import type { Vendor } from '../../catalog/contract.ts';
import type { JudgedAddress } from '../../upstream/guard/byok-address.ts';
import { CREDENTIAL_STATS_DAYS_MAX } from '../bounds.ts';
import { type AccountEndpointDeps, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, NAME, nullable, TIME } from '../fields.ts';
import { rangeOf } from '../logs/log-filter.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import {
  ADDRESS,
  type ByokPort,
  type ByokRefusal,
  HOSTED_GROUP,
  refusalOf,
  SECRET,
  VENDOR_CODE,
} from './byok.ts';

/** The result of one real call with the credential. Of the answer it has only the vendor's error text. */
export type Probed =
  | { readonly kind: 'works'; readonly status: number; readonly latencyMs: number }
  | {
      readonly kind: 'fails';
      /** Undefined if no answer came. */
      readonly status: number | undefined;
      readonly latencyMs: number;
      readonly message: string;
    }
  /** Another test of the account is running, or too many tests in total. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'not-found' };

export interface ProbePort {
  /** With a secret from the request. Vendor and address are checked before. */
  given(wanted: {
    readonly accountId: number;
    readonly vendor: Vendor;
    readonly secret: string;
    readonly baseUrl: string | undefined;
  }): Promise<Probed>;
  /** With a stored credential, at its stored address only. */
  stored(accountId: number, credentialId: number): Promise<Probed>;
}

export interface CredentialUsePort {
  stats(
    accountId: number,
    period: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly CredentialUse[]>;
}

export interface ByokUseNeeds {
  readonly byok: Pick<ByokPort, 'list'>;
  readonly probe: ProbePort;
  readonly use: CredentialUsePort;
  /** Checks an address in the same way as saving does. */
  judgeAddress(text: string): JudgedAddress;
  readonly deps: AccountEndpointDeps;
}

export function byokUseOperations(needs: ByokUseNeeds): readonly Operation[] {
  return [test(needs), stats(needs)];
}

const RESULT = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'The vendor’s HTTP status. Null if no answer came.' })),
  latency_ms: Type.Integer({ minimum: 0 }),
  message: nullable(Type.String({ description: 'The vendor’s message, shortened.' })),
});

function test(needs: ByokUseNeeds): Operation {
  return operation({
    ...HOSTED_GROUP,
    name: 'byok.test',
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
      if (id !== undefined) return told(await needs.probe.stored(accountId, id));
      if (vendorCode === undefined) return fail('badParameter', 'vendor_code or id is required');
      if (secret === undefined) return fail('badParameter', 'secret or id is required');
      const target = judge(needs, vendorCode, baseUrl ?? undefined);
      if (target.kind !== 'target') return refusalOf(target);
      const { vendor } = target;
      return told(await needs.probe.given({ accountId, vendor, secret, baseUrl: target.baseUrl }));
    },
  });
}

type Target = { readonly kind: 'target'; readonly vendor: Vendor; readonly baseUrl: string | undefined };

/** In the order of saving, so that both refuse for the same reason. */
function judge(
  { judgeAddress, deps }: ByokUseNeeds,
  vendorCode: string,
  text: string | undefined,
): Target | ByokRefusal {
  const judged = text === undefined ? undefined : judgeAddress(text);
  if (judged?.kind === 'refused') return { kind: 'bad-address', why: judged.why };
  const vendor = deps.catalog().vendors.get(vendorCode);
  if (vendor === undefined || !vendor.byok) return { kind: 'vendor-closed' };
  if (judged !== undefined && !vendor.customBaseUrl) return { kind: 'address-closed' };
  return { kind: 'target', vendor, baseUrl: judged?.baseUrl };
}

const BUSY_MS = 1_000;

function told(probed: Probed): Answer {
  switch (probed.kind) {
    case 'not-found':
      return fail('notFound');
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

function stats({ byok, use, deps }: ByokUseNeeds): Operation {
  return operation({
    ...HOSTED_GROUP,
    name: 'byok.stats',
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
      const asked = rangeOf(query, deps);
      if ('kind' in asked) return asked;
      const { toMs = context.clock.now() } = asked;
      const { fromMs = toMs - STATS_DAYS * DAY_MS } = asked;
      if (fromMs >= toMs) return fail('badParameter', 'from must be before to');
      if (toMs - fromMs > CREDENTIAL_STATS_DAYS_MAX * DAY_MS) {
        return fail('badParameter', `from must be at most ${CREDENTIAL_STATS_DAYS_MAX} days before to`);
      }
      const accountId = ownAccount(context);
      const [uses, own] = await Promise.all([use.stats(accountId, { fromMs, toMs }), byok.list(accountId)]);
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
}

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
