import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256, signatureOf } from '../../../sim/cloud/sigv4.ts';
import { Sha256, signAws } from './sign-aws.ts';

/** The published test suite of AWS: keys, moment and scope are the same in all of its cases. */
const SUITE = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  nowMs: Date.UTC(2015, 7, 30, 12, 36),
  region: 'us-east-1',
  service: 'service',
};
const HOST = 'example.amazonaws.com';
const DATE = '20150830T123600Z';
const SESSION =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRq' +
  'TflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75Y' +
  'U9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9K' +
  'SYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

interface Case {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly session?: string;
  readonly signature: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CASES: readonly Case[] = [
  {
    name: 'get-vanilla',
    method: 'GET',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    method: 'GET',
    query: { Param2: 'value2', Param1: 'value1' },
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'post-vanilla',
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-vanilla-query',
    method: 'POST',
    query: { Param1: 'value1' },
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-header-value-case',
    method: 'POST',
    headers: { 'my-header1': 'VALUE1' },
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  {
    name: 'post-sts-header-before',
    method: 'POST',
    session: SESSION,
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  {
    name: 'post-x-www-form-urlencoded',
    method: 'POST',
    headers: FORM,
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
];

describe('the signature of AWS, version 4', () => {
  it.each(CASES)('is that of the published case $name', async (one) => {
    const { method, query = {}, headers = {}, body = '', session } = one;
    const signer = new SignatureV4({
      credentials: { ...SUITE, ...(session === undefined ? {} : { sessionToken: session }) },
      region: SUITE.region,
      service: SUITE.service,
      sha256: Sha256,
      applyChecksum: false,
    });
    const request = { method, protocol: 'https:', hostname: HOST, path: '/', query, body };
    const signed = await signer.sign(
      { ...request, headers: { ...headers, host: HOST } },
      { signingDate: new Date(SUITE.nowMs) },
    );
    expect(signed.headers.authorization).toMatch(new RegExp(`Signature=${one.signature}$`));
  });

  it.each(CASES)('is computed by the simulator as in the published case $name', (one) => {
    const { method, query = {}, headers = {}, body = '', session } = one;
    const all: Record<string, string> = {
      ...headers,
      host: HOST,
      'x-amz-date': DATE,
      ...(session === undefined ? {} : { 'x-amz-security-token': session }),
    };
    const found = signatureOf({
      method,
      path: '/',
      query: new URLSearchParams(query),
      headers: all,
      signedHeaders: Object.keys(all).sort(),
      bodySha256: sha256(body),
      scope: { date: DATE, region: SUITE.region, service: SUITE.service },
      secretAccessKey: SUITE.secretAccessKey,
    });
    expect(found).toBe(one.signature);
  });

  it('is what another implementation computes, for any model, body and key', async () => {
    const visible = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map(String.fromCharCode),
      minLength: 1,
    });
    // An address has no part of dots alone; the catalogue refuses such names.
    const models = visible.filter((name) => !/^\.{1,2}$/.test(name));
    const bodies = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(models, bodies, visible, async (model, pieces, secretAccessKey) => {
        const path = `/model/${encodeURIComponent(model)}/invoke`;
        const body = pieces.map((piece) => Buffer.from(piece));
        const headers = ['content-type', 'application/json'];
        const request = { origin: 'https://h:8443', path, method: 'POST', headers, body } as const;
        const keys = { accessKeyId: 'AKID', secretAccessKey, sessionToken: 'session' };
        const signed = await signAws(request, { ...SUITE, keys, service: 'bedrock' });
        const sent = Object.fromEntries(toPairs([...headers, ...signed]));
        const [, names = '', signature] =
          /SignedHeaders=(.*), Signature=(.*)$/.exec(sent.authorization ?? '') ?? [];
        expect(names.split(';')).toEqual(
          expect.arrayContaining(['content-type', 'host', 'x-amz-date', 'x-amz-security-token']),
        );
        expect(signature).toBe(
          signatureOf({
            method: 'POST',
            path,
            query: new URLSearchParams(),
            headers: { ...sent, host: 'h:8443' },
            signedHeaders: names.split(';'),
            bodySha256: sha256(Buffer.concat(body)),
            scope: { date: DATE, region: SUITE.region, service: 'bedrock' },
            secretAccessKey,
          }),
        );
      }),
    );
  });
});

function toPairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
}
