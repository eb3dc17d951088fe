import type { AwsKeys } from '../../catalog/cloud.ts';
import type { BodyChange, CloudAdapter, CloudCall, Grantor, Headers, UpstreamHead } from '../contract.ts';
import { formRequest, grantName } from './bearer.ts';
import { readRoleKeys } from './role-keys.ts';
import { signAws } from './sign-aws.ts';

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';
const BETA = 'anthropic-beta';
/** Answers that a new session helps against. */
const EXPIRED = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;

/** AWS Bedrock: Claude by InvokeModel, other models by its endpoint in the form of OpenAI. */
export const bedrock: CloudAdapter = {
  path: ({ protocol, action, model }) => {
    if (action === 'count') return undefined;
    if (protocol !== 'messages') return '/openai/v1/chat/completions';
    const operation = action === 'stream' ? 'invoke-with-response-stream' : 'invoke';
    return `/model/${encodeURIComponent(model)}/${operation}`;
  },
  changeBody: ({ protocol }, headers) => (protocol === 'messages' ? toBodyChange(headers) : undefined),
  findGrantor,
  authorize: async (request, { cloud, secret }, { nowMs, grant }) => {
    if (secret.kind === 'key') return [...request.headers, 'authorization', `Bearer ${secret.key}`];
    const keys = grant?.keys ?? (secret.kind === 'aws' ? secret : NO_KEYS);
    const signed = await signAws(request, { keys, nowMs, region: cloud.region ?? '', service: 'bedrock' });
    return [...request.headers, ...signed];
  },
  // Not its runtime has the lists. Models that need an inference profile are called by its name.
  modelLists: ({ origin, pathname }) => {
    const root = origin.replace('//bedrock-runtime.', '//bedrock.') + pathname.replace(/\/{1,9}$/, '');
    return [
      `${root}/inference-profiles?maxResults=1000`,
      `${root}/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT`,
    ];
  },
  isExpired: ({ status, headers }: UpstreamHead) =>
    status === 403 && EXPIRED.test(headers['x-amzn-errortype'] ?? ''),
};

const NO_KEYS: AwsKeys = { accessKeyId: '', secretAccessKey: '', sessionToken: undefined };

/** Model and streaming are in the path. What a header says to Anthropic, a member says to Bedrock. */
function toBodyChange(headers: Headers): BodyChange {
  const added = `"anthropic_version":"${ANTHROPIC_VERSION}"`;
  const removed = ['model', 'stream', 'anthropic_version'];
  const place = headers.indexOf(BETA);
  if (place < 0) return { added, removed, header: undefined };
  const names = (headers[place + 1] as string).split(',').map((name) => name.trim());
  const betas = JSON.stringify(names.filter((name) => name !== ''));
  return {
    added: `${added},"anthropic_beta":${betas}`,
    removed: [...removed, 'anthropic_beta'],
    header: BETA,
  };
}

/** An assumed role: AWS's token service gives keys for an hour. */
function findGrantor({ secret, cloud }: CloudCall): Grantor | undefined {
  if (secret.kind !== 'aws' || secret.role === undefined) return undefined;
  const { role } = secret;
  const region = cloud.region ?? '';
  const url = cloud.tokenUrl ?? `https://sts.${region}.amazonaws.com/`;
  const form = {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role.arn,
    RoleSessionName: 'tollgate',
    DurationSeconds: '3600',
    ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
  };
  return {
    name: grantName(url, role.arn, role.externalId, secret.accessKeyId, secret.secretAccessKey),
    request: async (nowMs) => {
      const request = formRequest(url, form);
      const signed = await signAws(request, { keys: secret, nowMs, region, service: 'sts' });
      return { ...request, headers: [...request.headers, ...signed] };
    },
    read: readRoleKeys,
  };
}
