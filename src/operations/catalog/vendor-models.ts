import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import type { Route } from '../../catalog/contract.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { CloudCall, UpstreamClient } from '../../upstream/contract.ts';
import { ask } from '../../upstream/http/ask.ts';
import { addressVendor, VENDOR_JSON, type VendorAddress } from '../../upstream/vendor.ts';
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
  id: 'listVendorModels',
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

interface ModelList {
  readonly status: number | null;
  readonly models: readonly string[];
}

/** The list stands beside the calls: the last part of their path is replaced. */
const CALL_PATHS = /\/(?:chat\/completions|responses|images\/generations|messages|models\/[^/]+)$/;

async function listModels(client: UpstreamClient, route: Route, protocol: Protocol): Promise<ModelList> {
  const asked = { action: 'generate', clientHeaders: {}, contentType: VENDOR_JSON, query: '' } as const;
  const { cloud, ...address } = addressVendor({ route, protocol, ...asked });
  if (cloud === undefined) {
    return askList(client, { ...address, path: address.path.replace(CALL_PATHS, '/models') });
  }
  const addresses = cloud.adapter.modelLists(new URL(route.credential.baseUrl ?? route.vendor.baseUrl));
  const lists = await Promise.all(
    addresses.map((text) => {
      const { origin, pathname, search } = new URL(text);
      // No list has a body that a protocol would change.
      return askList(client, { ...address, origin, path: pathname + search, cloud: withoutBody(cloud) });
    }),
  );
  const models = [...new Set(lists.flatMap((each) => each.models))].slice(0, VENDOR_MODELS_MAX);
  const [first = NO_LIST] = models.length === 0 ? lists : lists.filter(({ status }) => status === 200);
  return { status: first.status, models };
}

const NO_LIST: ModelList = { status: null, models: [] };

function withoutBody(cloud: CloudCall): CloudCall {
  return { ...cloud, adapter: { ...cloud.adapter, changeBody: () => undefined } };
}

async function askList(client: UpstreamClient, address: VendorAddress): Promise<ModelList> {
  const request = { ...address, method: 'GET', body: [] } as const;
  const reply = await ask(client, request, { waitMs: PROBE_WAIT_MS, bytesMax: VENDOR_MODELS_BYTES_MAX });
  if (reply.kind === 'failed') return NO_LIST;
  const { status } = reply.head;
  return { status, models: status === 200 ? namesIn(reply.body.toString('utf8')) : [] };
}

/** Where a list stands in an answer, and the member that names a model. Vertex names its path. */
const LISTS: readonly (readonly [string, string])[] = [
  ['data', 'id'],
  ['models', 'name'],
  ['publisherModels', 'name'],
  ['inferenceProfileSummaries', 'inferenceProfileId'],
  ['modelSummaries', 'modelId'],
];

function namesIn(text: string): readonly string[] {
  const parsed = parseJson(text, { bytesMax: VENDOR_MODELS_BYTES_MAX, depthMax: 16 });
  const body = parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value : {};
  const [list, member] = LISTS.find(([key]) => Array.isArray(body[key])) ?? ['', ''];
  const rows = (body[list] ?? []) as readonly unknown[];
  const names = rows.slice(0, VENDOR_MODELS_MAX).map((row) => {
    const name = isJsonObject(row) ? row[member] : undefined;
    return String(name ?? '').replace(/^(?:publishers\/[a-z]+\/)?models\//, '');
  });
  return names.filter((name) => /^[^\s"\\]+$/.test(name) && name.length <= MODEL_NAME_LENGTH_MAX);
}

export const vendorModelOperations: readonly Operation[] = [list];
