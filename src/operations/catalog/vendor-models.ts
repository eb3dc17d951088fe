import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import type { Route } from '../../catalog/contract.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import { ask } from '../../upstream/http/ask.ts';
import { addressVendor, VENDOR_JSON } from '../../upstream/vendor.ts';
import { PROBE_WAIT_MS, VENDOR_MODELS_BYTES_MAX, VENDOR_MODELS_MAX } from '../bounds.ts';
import { fail } from '../failure.ts';
import { nullable } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { NEW_CREDENTIAL, readNewRoute } from './tests.ts';

const list: Operation = operation({
  ...OPERATORS,
  tag: 'Catalogue',
  name: 'vendors.models',
  method: 'POST',
  path: '/vendor-models',
  title: 'List a vendor’s models',
  summary: 'Ask a vendor for the names of its models, with a credential that is not saved. It costs nothing.',
  body: Type.Object(NEW_CREDENTIAL),
  data: Type.Object({
    status: nullable(Type.Integer({ description: 'The vendor’s HTTP status. Null if no answer came.' })),
    models: Type.Array(Type.String(), { description: 'Empty if the vendor does not list them.' }),
  }),
  example: {
    body: { vendor: 'openai', protocol: 'chat', secret: 'sk-0123456789abcdef' },
    data: { status: 200, models: ['gpt-5', 'gpt-5-mini'] },
  },
  handle: async ({ body }, context) => {
    const route = readNewRoute(context, { ...body, model: 'any' });
    if ('wrong' in route) return fail('badParameter', route.wrong);
    return data(await listModels(context.vendors, route, body.protocol));
  },
});

/** The list stands beside the calls: the last part of their path is replaced. */
const CALL_PATHS = /\/(?:chat\/completions|responses|images\/generations|messages|models\/[^/]+)$/;

async function listModels(client: UpstreamClient, route: Route, protocol: Protocol): Promise<object> {
  const asked = { action: 'generate', clientHeaders: {}, contentType: VENDOR_JSON, query: '' } as const;
  const address = addressVendor({ route, protocol, ...asked });
  const path = address.path.replace(CALL_PATHS, '/models');
  const request = { ...address, path, method: 'GET', body: [] } as const;
  const reply = await ask(client, request, { waitMs: PROBE_WAIT_MS, bytesMax: VENDOR_MODELS_BYTES_MAX });
  if (reply.kind === 'failed') return { status: null, models: [] };
  const { status } = reply.head;
  return { status, models: status === 200 ? namesIn(reply.body.toString('utf8')) : [] };
}

/** OpenAI and Anthropic list objects with an `id` in `data`, Google with a `name` in `models`. */
function namesIn(text: string): readonly string[] {
  const parsed = parseJson(text, { bytesMax: VENDOR_MODELS_BYTES_MAX, depthMax: 16 });
  const body = parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value : {};
  const rows = [body.data, body.models].find(Array.isArray) ?? [];
  const names = rows.slice(0, VENDOR_MODELS_MAX).map((row) => {
    const { id, name } = isJsonObject(row) ? row : {};
    return String(id ?? name ?? '').replace(/^models\//, '');
  });
  return names.filter((name) => /^[^\s"\\]+$/.test(name) && name.length <= MODEL_NAME_LENGTH_MAX);
}

export const vendorModelOperations: readonly Operation[] = [list];
