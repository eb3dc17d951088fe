import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someSession, someTarget } from '../../../test/support/hub.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import { Inexpressible, Notes } from '../hub/notes.ts';
import { decodeWhole, openDecoder } from '../suite/reported.ts';
import { chatCodec } from './codec.ts';

const session = someSession();

const KEYS =
  'choices message delta content role tool_calls function custom name arguments input id index type ' +
  'text image_url url reasoning_details signature data summary extra_content google ' +
  'thought_signature annotations url_citation images audio transcript refusal usage prompt_tokens ' +
  'error code logprobs top_logprobs finish_reason messages tools parameters response_format ' +
  'json_schema schema stop n cache_control ttl file file_data filename input_audio format thinking ' +
  'reasoning stream_options tool_choice allowed_tools mode functions function_call';
const WORDS =
  'user assistant tool system function custom text image_url thinking json_schema data:x data:;base64,AA f';

/** Bodies of the protocol's own words in any order, so that every reader meets what it does not expect. */
const { body } = fc.letrec<{ body: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', '{}', 'tg1.AAAA', ...WORDS.split(' ')),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('body'),
  ),
  body: fc.dictionary(fc.constantFrom(...KEYS.split(' ')), tie('value'), { maxKeys: 6 }),
}));

const read = (value: object): JsonObject => readJson(JSON.stringify(value), chatCodec.rawKeys) ?? {};
const RUNS = { numRuns: runs(400) };

describe('untrusted input', () => {
  it('from a client is decoded or refused, and never throws', () => {
    const raw = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
    const message = fc
      .record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system') })
      .chain((role) => body.map((one) => ({ tool_call_id: 'c', ...one, ...role })));
    fc.assert(
      fc.property(body, fc.array(message, { maxLength: 3 }), (fields, messages) => {
        try {
          chatCodec.decodeRequest(read({ ...fields, messages }), raw, new Notes(chatCodec.fields));
        } catch (error) {
          expect(error).toBeInstanceOf(Inexpressible);
        }
        writeJson(
          chatCodec.returnSignatures(read({ ...fields, messages }), someTarget({ protocol: 'chat' })),
        );
      }),
      RUNS,
    );
  });

  it('in a vendor’s answer is always decoded and can be encoded', () => {
    fc.assert(
      fc.property(body, body, (choice, message) => {
        const decoded = decodeWhole(chatCodec, read({ choices: [{ ...choice, message }] }), session);
        if (!('status' in decoded)) writeJson(chatCodec.encodeAnswer(decoded, session));
      }),
      RUNS,
    );
  });

  it('in a vendor’s stream is always decoded and can be encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(body, body), { maxLength: 4 }), (chunks) => {
        const encoder = chatCodec.createEncoder(session, 'sse');
        const decoder = openDecoder(chatCodec, session, (event) => encoder.push(event));
        for (const [choice, delta] of chunks)
          decoder.push(read({ choices: [{ ...choice, index: 0, delta }] }));
        decoder.finish();
        expect(encoder.take()).toMatch(/\[DONE\]\n\n$|"error"/);
      }),
      RUNS,
    );
  });
});
