import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/kernel/errors.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../../src/protocol/convert/convert.ts';
import type { Target } from '../../../src/protocol/hub/codec.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { someTarget } from '../../support/hub.ts';
import { runs } from '../../support/property-runs.ts';
import { PROTOCOLS } from '../recorded/load.ts';
import { IDENTITY, rawRequest, targetOf } from '../recorded/pass.ts';
import { MODELS } from '../specs/simulator.ts';
import { plainBody } from './plain-body.ts';
import type { Body, RequestPart } from './request-part.ts';
import { REQUEST_PARTS } from './request-parts.ts';

const PAIRS = PROTOCOLS.flatMap((client) =>
  PROTOCOLS.filter((vendor) => vendor !== client).map((vendor) => ({ client, vendor })),
);

/** Models of today and yesterday, and one that can do all that its protocol has words for. */
function targetsOf(vendor: TextProtocol): readonly Target[] {
  return [...MODELS[vendor].map((model) => targetOf(vendor, model)), someTarget({ protocol: vendor })];
}

function converted(client: TextProtocol, body: Body, target: Target): Conversion | undefined {
  const read = readClientRequest(client, rawRequest(client, body, false));
  const conversion = isRefusal(read) ? read : convertRequest(read, target, IDENTITY);
  if (!isRefusal(conversion)) return conversion;
  expect(conversion.error.code).toBe(40004);
  return undefined;
}

/** What neither the vendor nor the report says; nothing when the whole request was refused. */
function unsaid(client: TextProtocol, parts: readonly RequestPart[], target: Target): readonly string[] {
  const body = plainBody(client);
  for (const part of parts) part.write(body);
  const conversion = converted(client, body, target);
  if (conversion === undefined) return [];
  const sent = conversion.body.toString();
  return parts
    .filter(({ said, named, ours = [] }) => {
      const isReported = conversion.dropped.some((path) => path.includes(named));
      return !said.test(sent) && !isReported && !ours.includes(target.protocol);
    })
    .map(({ name }) => `${name} at ${target.model}: ${conversion.dropped.join(', ')}`);
}

describe('every part of a request reaches the vendor or the loss report', () => {
  it.each(PAIRS)('from $client to $vendor, each part alone', ({ client, vendor }) => {
    const missing = targetsOf(vendor).flatMap((target) =>
      REQUEST_PARTS[client].flatMap((part) => unsaid(client, [part], target)),
    );
    expect(missing).toEqual([]);
  });

  it.each(PAIRS)('from $client to $vendor, several parts together', ({ client, vendor }) => {
    const some = fc.subarray([...REQUEST_PARTS[client]], { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(some, fc.constantFrom(...targetsOf(vendor)), (parts, target) => {
        // Of two parts for one field the later one is the client's.
        const last = parts.filter(
          ({ named }, at) => parts.findLastIndex((other) => other.named === named) === at,
        );
        expect(unsaid(client, last, target)).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it.each(PAIRS)('from $client to $vendor, with the start of an answer', ({ client, vendor }) => {
    const prefill: Readonly<Record<TextProtocol, RequestPart>> = {
      chat: {
        name: 'prefill',
        said: /mark-begun/,
        named: 'messages[last]',
        write: (body) => body.messages.push({ role: 'assistant', content: 'mark-begun' }),
      },
      responses: {
        name: 'prefill',
        said: /mark-begun/,
        named: 'input[last]',
        write: (body) => body.input.push({ role: 'assistant', content: 'mark-begun' }),
      },
      messages: {
        name: 'prefill',
        said: /mark-begun/,
        named: 'messages[last]',
        write: (body) => body.messages.push({ role: 'assistant', content: 'mark-begun' }),
      },
      gemini: {
        name: 'prefill',
        said: /mark-begun/,
        named: 'contents[last]',
        write: (body) => body.contents.push({ role: 'model', parts: [{ text: 'mark-begun' }] }),
      },
    };
    for (const target of [
      ...targetsOf(vendor),
      ...(vendor === 'gemini' ? [targetOf('gemini', 'gemini-3.5-flash')] : []),
    ]) {
      expect(unsaid(client, [prefill[client]], target)).toEqual([]);
    }
  });
});

describe('the start of an answer', () => {
  const begun = {
    model: 'm',
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'begun' },
    ],
  };
  it('reaches a Gemini model that continues it, and is reported for one that does not', () => {
    const newer = converted('chat', begun, targetOf('gemini', 'gemini-3.5-flash'));
    expect(JSON.parse(String(newer?.body)).contents.at(-1)).toEqual({
      role: 'model',
      parts: [{ text: 'begun' }],
    });
    expect(newer?.dropped).toEqual([]);
    const older = converted('chat', begun, targetOf('gemini', 'gemini-3-pro'));
    expect(JSON.parse(String(older?.body)).contents).toEqual([{ role: 'user', parts: [{ text: 'q' }] }]);
    expect(older?.dropped).toEqual(['messages[last]']);
  });
});
