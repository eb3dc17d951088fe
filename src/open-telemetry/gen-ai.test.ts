import { expect, test } from 'vitest';
import { sampleRoute } from '../../test/support/samples.ts';
import type { Route } from '../catalog/contract.ts';
import { attemptError, attemptStatus, httpRouteOf, placeOf } from './gen-ai.ts';

function routeTo(baseUrl: string, code = 'own'): Route {
  const route = sampleRoute();
  return {
    ...route,
    vendor: { ...route.vendor, code, baseUrl },
    credential: { ...route.credential, baseUrl: undefined },
  };
}

test.each([
  ['https://api.openai.com/v1', 'openai', 443],
  ['https://me.openai.azure.com/openai', 'azure.ai.openai', 443],
  ['https://api.anthropic.com', 'anthropic', 443],
  ['https://generativelanguage.googleapis.com', 'gcp.gemini', 443],
  ['https://us-central1-aiplatform.googleapis.com', 'gcp.vertex_ai', 443],
  ['https://bedrock-runtime.eu-west-1.amazonaws.com', 'aws.bedrock', 443],
  ['https://api.moonshot.cn/v1', 'moonshot_ai', 443],
  ['http://10.0.0.7:8000/v1', 'own', 8000],
  ['http://models.internal', 'own', 80],
  ['https://notopenai.com', 'own', 443],
])('%s is the provider %s', (baseUrl, provider, port) => {
  expect(placeOf(routeTo(baseUrl))).toEqual({ provider, address: new URL(baseUrl).hostname, port });
});

test('a vendor behind another address is known by its code, and no password is taken from an address', () => {
  expect(placeOf(routeTo('http://user:password@proxy:1/secret?key=1', 'google'))).toEqual({
    provider: 'gcp.gemini',
    address: 'proxy',
    port: 1,
  });
});

test('paths are templates, without the model that the client names', () => {
  const endpoint = { edit: false, path: undefined };
  expect(httpRouteOf({ ...endpoint, protocol: 'images', edit: true })).toBe('/v1/images/edits');
  expect(httpRouteOf({ ...endpoint, protocol: 'gemini', path: { stream: true } })).toBe(
    '/v1beta/models/{model}:streamGenerateContent',
  );
});

test('an outcome is a status, an error, both or neither', () => {
  const told = ['ok', '503', 'connect', 'cut-by-client'].map((one) => [
    attemptStatus(one),
    attemptError(one),
  ]);
  expect(told).toEqual([
    [200, undefined],
    [503, '503'],
    [undefined, 'connect'],
    [undefined, undefined],
  ]);
});
