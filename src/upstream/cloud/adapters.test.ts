import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CloudSecret } from '../../catalog/cloud.ts';
import type { Cloud, Credential, Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { CloudCall, VendorAction } from '../contract.ts';
import { addressVendor, canCount } from '../vendor.ts';
import { getCloudAdapter } from './adapters.ts';
import { readRoleKeys } from './role-keys.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SERVICE_ACCOUNT = JSON.stringify({
  type: 'service_account',
  project_id: 'own-project',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'a@b.example',
});

function route(cloud: Cloud, baseUrl: string, credential: Partial<Credential> = {}): Route {
  const rates = { rateMicro: 1n, rateMultiplierMicro: 1n };
  const status = 'enabled' as const;
  return {
    ...{ id: 1, modelId: 'm', forwardModelId: 'a model:0', protocols: [], priority: 1, weight: 1, ...rates },
    ...{ status, capabilities: undefined },
    vendor: {
      code: 'v',
      name: 'V',
      icon: '',
      protocols: [],
      baseUrl,
      rateMicro: 1n,
      byok: true,
      customBaseUrl: true,
      cloud,
    },
    credential: {
      ...{
        id: 1,
        name: 'c',
        vendorCode: 'v',
        secret: 'key',
        baseUrl: undefined,
        rateMicro: 1n,
        limits: {},
        status,
      },
      ...{ ownerAccountId: undefined },
      ...credential,
    },
  };
}

function address(to: Route, protocol: Protocol, action: VendorAction, query = ''): string {
  const call = { route: to, protocol, action, clientHeaders: {}, contentType: 'application/json', query };
  const { origin, path, headers } = addressVendor(call);
  // The authorisation comes later, and the secret is nowhere before it.
  expect(headers.join('\n')).not.toContain('key');
  return origin + path;
}

describe('the address of a call', () => {
  it('at Azure has the deployment and the version, or is that of the form without them', () => {
    const old = route({ kind: 'azure', apiVersion: '2024-10-21' }, 'https://r.openai.azure.com');
    expect(address(old, 'chat', 'stream')).toBe(
      'https://r.openai.azure.com/openai/deployments/a%20model%3A0/chat/completions?api-version=2024-10-21',
    );
    expect(address(old, 'images', 'edit')).toContain('/openai/deployments/a%20model%3A0/images/edits?');
    for (const base of ['https://r.example', 'https://r.example/openai', 'https://r.example/openai/v1/']) {
      const now = route({ kind: 'azure' }, base);
      expect(address(now, 'responses', 'generate')).toBe('https://r.example/openai/v1/responses');
    }
    expect(canCount(old, 'chat')).toBe(false);
  });

  it('at Bedrock has the model and the operation', () => {
    const to = route({ kind: 'bedrock', region: 'r' }, 'https://b.example');
    expect(address(to, 'messages', 'generate')).toBe('https://b.example/model/a%20model%3A0/invoke');
    expect(address(to, 'messages', 'stream')).toBe(
      'https://b.example/model/a%20model%3A0/invoke-with-response-stream',
    );
    expect(address(to, 'chat', 'stream')).toBe('https://b.example/openai/v1/chat/completions');
    expect(canCount(to, 'messages')).toBe(false);
  });

  it('at Vertex has the project, which for an own credential is that of its key', () => {
    const cloud: Cloud = { kind: 'vertex', location: 'us-central1', project: 'platform' };
    const to = route(cloud, 'https://g.example', { secret: SERVICE_ACCOUNT });
    const base = 'https://g.example/v1/projects/platform/locations/us-central1/publishers';
    expect(address(to, 'gemini', 'stream', 'alt=sse')).toBe(
      `${base}/google/models/a%20model%3A0:streamGenerateContent?alt=sse`,
    );
    expect(address(to, 'messages', 'generate')).toBe(`${base}/anthropic/models/a%20model%3A0:rawPredict`);
    const own = route(cloud, 'https://g.example', { secret: SERVICE_ACCOUNT, ownerAccountId: 7 });
    expect(address(own, 'gemini', 'generate')).toContain('/projects/own-project/');
    expect(canCount(to, 'gemini')).toBe(true);
    expect(canCount(to, 'messages')).toBe(false);
  });

  it('of an account is in the public network', () => {
    const own = { baseUrl: 'https://mine.example', ownerAccountId: 7 };
    const to = route({ kind: 'azure' }, 'https://r.example', own);
    const call = {
      protocol: 'chat',
      action: 'generate',
      clientHeaders: {},
      contentType: '',
      query: '',
    } as const;
    expect(addressVendor({ route: to, ...call })).toMatchObject({
      origin: 'https://mine.example',
      reach: 'public',
    });
  });
});

function call(cloud: Cloud, secret: CloudSecret): CloudCall {
  const adapter = getCloudAdapter(cloud.kind);
  return { adapter, cloud, secret, protocol: 'gemini', action: 'generate', model: 'm' };
}

describe('the request for a token', () => {
  it('of a service account is a statement that its key has signed', async () => {
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const secret = {
      kind: 'service-account',
      email: 'a@b.example',
      privateKey: pem,
      privateKeyId: 'k1',
      projectId: undefined,
    } as const;
    const asked = call({ kind: 'vertex', location: 'global' }, secret);
    const request = await asked.adapter.findGrantor(asked)?.request(1_000_000);
    expect(request?.origin).toBe('https://oauth2.googleapis.com');
    const form = new URLSearchParams(Buffer.concat(request?.body ?? []).toString());
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, createPublicKey(privateKey), Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(decode(claims)).toEqual({
      ...{ iss: 'a@b.example', aud: 'https://oauth2.googleapis.com/token', iat: 1000, exp: 4600 },
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
  });

  it('goes to the address of the operator if there is one, and asks the machine for its own identity', async () => {
    const asked = call({ kind: 'vertex', location: 'global' }, { kind: 'workload' });
    const request = await asked.adapter.findGrantor(asked)?.request(0);
    expect(request).toMatchObject({ origin: 'http://metadata.google.internal', method: 'GET' });
    const secret = { kind: 'entra', tenantId: 't', clientId: 'c', clientSecret: 's' } as const;
    const entra = call({ kind: 'azure', tokenUrl: 'https://login.example/x' }, secret);
    expect(await entra.adapter.findGrantor(entra)?.request(0)).toMatchObject({
      ...{ origin: 'https://login.example', path: '/x' },
    });
  });

  it('for a role is answered with keys, or with none', () => {
    const xml =
      '<A><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s/+=</SecretAccessKey>' +
      '<SessionToken>t+/=</SessionToken><Expiration>2026-11-18T04:00:00Z</Expiration></A>';
    expect(readRoleKeys(xml)).toEqual({
      expiresAtMs: Date.UTC(2026, 10, 18, 4),
      keys: { accessKeyId: 'ASIA1', secretAccessKey: 's/+=', sessionToken: 't+/=' },
    });
    expect(readRoleKeys(xml.replace('2026', 'x'))).toBeUndefined();
    expect(readRoleKeys('<Error/>')).toBeUndefined();
  });
});
