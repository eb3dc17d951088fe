import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { isGoogleProtocol, type Protocol } from '../../src/kernel/protocol-name.ts';
import type { RawRequest, RequestFacts } from '../../src/protocol/dialect.ts';
import { formContentType } from '../../src/protocol/images/form.ts';
import { getDialect } from '../../src/protocol/registry.ts';
import { needs } from '../needs.ts';
import { SEED } from '../support/property-runs.ts';
import { type Field, inOrder, readByBusboy, readBySimulator, readByUndici } from './form-readers.ts';
import { ambiguousForm } from './forms.ts';
import { type Json, readFirst, readLax } from './lax-json.ts';
import { GO, goProgram, type Program, PYTHON, pythonProgram, type SentCase } from './programs.ts';
import { lookUp, type Reading, readingOf } from './reading.ts';
import { type AmbiguousRequest, ambiguousRequest, PATH_MODEL } from './requests.ts';

/** Requests of each kind; all of them are told by the seed. */
const CASES = Number(process.env.TEST_AMBIGUOUS ?? 4_000);
const BATCH = 10_000;
const VENDOR_MODEL = 'vendor-model';

let go: Program | undefined;
let python: Program | undefined;
beforeAll(async () => {
  [go, python] = [await goProgram(), pythonProgram()];
});
afterAll(async () => {
  await go?.close();
  await python?.close();
});

/** A request that we let through, as we read it and as it leaves us. */
interface Passed {
  readonly facts: RequestFacts;
  readonly sent: SentCase;
}

function pass(protocol: Protocol, request: RawRequest): Passed | undefined {
  const dialect = getDialect(protocol);
  const facts = dialect.readRequest(request);
  if (facts instanceof Promise) throw new Error('these requests are small');
  if (isRefusal(facts)) return undefined;
  const body = Buffer.concat(dialect.spliceRequest(request, facts, VENDOR_MODEL));
  const contentType = facts.form === undefined ? 'application/json' : formContentType(facts.form);
  return { facts, sent: { protocol: facts.form === undefined ? protocol : 'form', contentType, body } };
}

function* batches<Case>(cases: fc.Arbitrary<Case>): Generator<readonly Case[]> {
  for (let done = 0; done < CASES; done += BATCH) {
    yield fc.sample(cases, { numRuns: Math.min(BATCH, CASES - done), seed: SEED + done });
  }
}

test('Go and Python are among the readers', needs(GO, PYTHON), () => {
  expect([go?.name, python?.name]).toEqual(['Go', 'Python']);
});

describe(`seed ${SEED}: every reader reads accepted input as the gateway does`, () => {
  test('in JSON', async () => {
    let passed = 0;
    for (const cases of batches(ambiguousRequest)) {
      const through = cases.flatMap(passJson);
      passed += through.length;
      const sent = through.map((one) => one.sent);
      const [byGo = [], byPython = []] = [await go?.read(sent), await python?.read(sent)];
      for (const [index, one] of through.entries()) {
        const { body } = one.sent;
        const protocol = one.sent.protocol as Protocol;
        const text = body.toString('utf8');
        const [last, first] = (byPython[index] ?? [null, null]) as readonly (Json | null)[];
        const readings: Record<string, Reading | undefined> = {
          'last wins': readingOf(protocol, lookUp(JSON.parse(text) as Json)),
          'first wins': readingOf(protocol, lookUp(readFirst(text))),
          'without case, separators and types': readingOf(protocol, readLax(text)),
          Go: byExactKeys(protocol, byGo[index] as Json | undefined),
          'Python, last': byExactKeys(protocol, last),
          'Python, first': byExactKeys(protocol, first),
        };
        for (const [reader, reading] of Object.entries(readings)) {
          // A reader that refuses the request reads nothing else in it than we do.
          if (reading !== undefined)
            expect(withoutCollection(reading), `${reader}: ${text}`).toEqual(ours(one));
        }
      }
    }
    // Some must pass, or nothing is proved.
    expect(passed).toBeGreaterThan(CASES / 10);
  });

  test('in forms', async () => {
    let passed = 0;
    for (const cases of batches(ambiguousForm)) {
      const through = cases.flatMap(({ body, contentType }) => {
        const one = pass('images', { body, contentType, path: undefined });
        return one === undefined ? [] : [{ ...one, given: body }];
      });
      passed += through.length;
      const sent = through.map((one) => one.sent);
      const [byGo, byPython] = [await go?.read(sent), await python?.read(sent)];
      for (const [index, { facts, given, sent: one }] of through.entries()) {
        const { contentType, body } = one;
        const wanted = inOrder(ourFields(facts, given));
        const readings: Record<string, unknown> = {
          undici: await readByUndici(contentType, body),
          busboy: await readByBusboy(contentType, body),
          'the simulators': readBySimulator(contentType, body),
          ...(byGo === undefined ? {} : { Go: byGo[index] }),
          ...(byPython === undefined ? {} : { Python: (byPython[index] as unknown[])[0] }),
          ...(byPython === undefined ? {} : { 'Python, of old': (byPython[index] as unknown[])[1] }),
        };
        for (const [reader, fields] of Object.entries(readings)) {
          expect(inOrder(fields as readonly Field[]), `${reader}: ${body.toString('latin1')}`).toEqual(
            wanted,
          );
        }
      }
    }
    expect(passed).toBeGreaterThan(CASES / 20);
  });
});

function passJson({ protocol, body }: AmbiguousRequest): readonly Passed[] {
  const path = { model: PATH_MODEL, stream: false, framing: 'sse' } as const;
  const one = pass(protocol, { body, contentType: 'application/json', path });
  return one === undefined ? [] : [one];
}

function byExactKeys(protocol: Protocol, value: Json | undefined): Reading | undefined {
  return value === undefined || value === null ? undefined : readingOf(protocol, lookUp(value));
}

function ours({ facts, sent }: Passed): Reading {
  const isNamed = !isGoogleProtocol(sent.protocol as Protocol) || facts.modelRanges.length > 0;
  return {
    model: isNamed ? VENDOR_MODEL : undefined,
    // The sound of a text always comes as a stream, and no field asks for it.
    stream: facts.stream && sent.protocol !== 'speech',
    answers: sent.protocol === 'images' ? facts.images : facts.answers,
    // Without generated text there is no such limit, whatever a request says.
    outputMax: facts.isFixed === true ? undefined : facts.outputTokensMax,
    usage: (sent.protocol === 'chat' || sent.protocol === 'completions') && facts.stream,
  };
}

function withoutCollection(reading: Reading): Reading {
  return { ...reading, model: reading.model?.replace(/^models\//, '') };
}

function ourFields({ form }: RequestFacts, body: Buffer): readonly Field[] {
  return (form?.parts ?? []).map(({ name, content, file }) => {
    const bytes = name === 'model' ? Buffer.from(VENDOR_MODEL) : body.subarray(content.start, content.end);
    return [name, file === undefined ? 'text' : 'file', bytes.toString('base64')];
  });
}
