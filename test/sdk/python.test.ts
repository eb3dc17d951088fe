import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samplePicture } from '../../sim/answer/picture.ts';
import { soundOf } from '../../sim/openai-speech/dialect.ts';
import type { TruthCall } from '../../sim/truth.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { runProgram } from '../agents/program.ts';
import { needs } from '../needs.ts';
import { silentSound } from '../support/endpoints/body.ts';
import { ENDPOINT_CALLS, worthMicro } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import type { World } from '../support/world.ts';
import { PYTHON, python } from './python/installation.ts';

const RUN_MS_MAX = 60_000;
const SOUND_SECONDS = 4;

type Results = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

let world: World;
let folder: string;
let results: Results;

/** What the vendor knows of the call of this name. */
function truthOf(name: string): TruthCall {
  const [call, ...more] = world.simulator.truth.list(`py-${name}`);
  if (call === undefined || more.length > 0) throw new Error(`${name} was not heard once`);
  return call;
}

describe('the official libraries of Python', needs(PYTHON), () => {
  beforeAll(async () => {
    world = await startEndpointWorld();
    folder = await mkdtemp(join(tmpdir(), 'tollgate-python-'));
    await writeFile(join(folder, 'silence.wav'), silentSound(SOUND_SECONDS).data);
    await writeFile(join(folder, 'boat.png'), samplePicture(seededRandom(1)));
    const script = join(import.meta.dirname, 'python', 'endpoints.py');
    const { exitCode, printed, complained } = await runProgram(python, [script, folder], {
      folder,
      environment: { TOLLGATE_URL: world.url, TOLLGATE_KEY: world.key, PATH: process.env.PATH ?? '' },
      signal: AbortSignal.timeout(RUN_MS_MAX),
    });
    expect(exitCode, complained).toBe(0);
    results = JSON.parse(printed) as Results;
    await world.settled();
  });
  afterAll(async () => {
    await world?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test('openai reads embeddings and verdicts', () => {
    const { inputTokens } = truthOf('embeddings');
    expect(results.embeddings).toEqual({ numbers: 32, tokens: inputTokens });
    expect(truthOf('moderations').path).toBe('/v1/moderations');
    expect(results.moderations).toEqual({ flagged: false });
  });

  test('openai reads completions, plain and streamed', () => {
    const { said, outputTokens } = truthOf('completions');
    expect(results.completions).toEqual({ text: said?.text, tokens: outputTokens });
    expect(results.completions_streamed).toEqual({ text: truthOf('completions-streamed').said?.text });
  });

  test('openai streams the sound of a text', () => {
    const bytes = soundOf('').length;
    expect(results.speech).toEqual({ bytes, pieces: bytes / 512 });
    expect(truthOf('speech').finished).toBe('complete');
  });

  test('openai reads transcripts, plain and streamed, and translations', () => {
    expect(results.transcriptions).toEqual({ text: truthOf('transcriptions').said?.text });
    expect(results.transcriptions_streamed).toEqual({ text: truthOf('transcriptions-streamed').said?.text });
    expect(truthOf('translations').path).toBe('/v1/audio/translations');
    expect(results.translations).toEqual({ text: truthOf('translations').said?.text });
  });

  test('openai reads variations of a picture', () => {
    expect(results.variations).toEqual({ pictures: 1 });
    expect(truthOf('variations')).toMatchObject({ path: '/v1/images/variations', images: 1 });
  });

  test('cohere reads a ranking, and what it cost', () => {
    expect(results.rerank).toEqual({ results: 1, units: 1 });
    expect(truthOf('rerank').path).toBe('/v2/rerank');
  });

  test('google-genai reads embeddings', () => {
    expect(results.embed_content).toEqual({ numbers: 32 });
    expect(truthOf('embed-content').path).toContain(':batchEmbedContents');
  });

  test('openai waits for an answer in the background, and cancels one', () => {
    expect(results.background).toEqual({
      ...{ begun: 'queued', status: 'completed', other: 'cancelled' },
      text: truthOf('background').said?.text,
    });
  });

  test('openai compacts a conversation, and keeps one', () => {
    expect(truthOf('compact').path).toBe('/v1/responses/compact');
    expect(results.compact).toEqual({ object: 'response.compaction', items: ['compaction'] });
    const { text } = truthOf('conversations').said ?? {};
    expect(results.conversations).toEqual({ text, roles: ['user', 'assistant'] });
  });

  test('an error of the gateway is an error of the library, with its code', () => {
    expect(results.refused).toMatchObject({ status: 502, code: '50201' });
  });

  test('each of these calls was charged what the vendor made', async () => {
    const rows = await world.database.query<{ model: string; amount: bigint }>(
      `select model_asked as model, sum(amount_micro)::bigint as amount from calls
       where status = 200 group by model_asked`,
    );
    const heard = world.simulator.truth.all().filter(({ tag }) => tag.startsWith('py-'));
    expect(rows.length).toBe(11);
    for (const { model, amount } of rows) {
      const call = ENDPOINT_CALLS.find((one) => one.model === model);
      if (call === undefined) throw new Error(`${model} is in no row of the table`);
      // Of Responses, two endpoints have the same model.
      const isOfCall = ({ path, tag }: TruthCall): boolean =>
        call.protocol !== 'responses' || (path === call.name && tag !== 'py-cancelled');
      const made = heard.filter((one) => one.model === call.forward && isOfCall(one));
      const worth = made.reduce((sum, one) => sum + worthMicro(call, call.used(one)), 0n);
      expect([model, amount]).toEqual([model, worth]);
    }
  });
});
