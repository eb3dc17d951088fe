import { content, envelope, type Frame, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import { type Plan, pieces } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai, type OpenaiModel } from '../models.ts';
import { describe, invalid, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, string } from '../request/json.ts';
import { parseForm } from '../request/multipart.ts';
import { flag, oneOf, type Shape, struct, text } from '../request/shape.ts';

export type Task = 'transcriptions' | 'translations';

const TOKENS_PER_SECOND = 10;
const WAV_HEADER_BYTES = 44;
const WAV_RATE_AT = 28;
const FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'];

const shared = {
  ...{ 'model!': text(), 'file!': text(), prompt: text(), temperature: text() },
  response_format: oneOf(...FORMATS),
};
const REQUESTS: Readonly<Record<Task, Shape>> = {
  transcriptions: struct({ ...shared, language: text(), stream: flag, 'timestamp_granularities[]': text() }),
  translations: struct(shared),
};

export function openaiTranscriptions(task: Task): Dialect {
  return {
    vendor: 'openai',
    examine: (request) => examine(request, task),
    newAnswerId: () => `transcript_${newHexId(24)}`,
    plain,
    frames,
    framing: () => LINE_FEED_EVENTS,
    headers: (plan) => ({ ...openaiHeaders(), ...(isJson(plan) ? {} : { 'content-type': 'text/plain' }) }),
    failure: openaiFailure,
    failureFrame: (message) =>
      content({ data: JSON.stringify({ type: 'error', error: { message } }), output: 0 }),
  };
}

function examine(request: VendorRequest, task: Task): Ask | Reply {
  const fields = parseForm(request.headers['content-type'] ?? '', request.body);
  if (fields === undefined) return invalid('Could not parse multipart form', null, null);
  const body: Record<string, unknown> = {};
  let seconds = 0;
  for (const { name, filename, data } of fields) {
    if (name === 'file') seconds = secondsOf(data);
    body[name] = name === 'file' ? (filename ?? 'file') : fieldValue(name, data.toString());
  }
  const [problem] = check(REQUESTS[task], body);
  if (problem !== undefined) return describe(problem);
  const model = findOpenai(string(body.model));
  if (model?.kind !== 'transcription' || (task === 'translations' && model.bills !== 'units')) {
    return openaiError(404, { message: `The model '${string(body.model)}' does not exist`, param: 'model' });
  }
  if (seconds === 0) return invalid('Invalid file format.', 'file', null);
  if (model.bills === 'tokens' && !['json', ''].includes(string(body.response_format))) {
    const message = `response_format '${string(body.response_format)}' is not compatible with this model.`;
    return invalid(message, 'response_format', 'unsupported_value');
  }
  return read({ ...body, seconds }, model, request.key);
}

function fieldValue(name: string, written: string): unknown {
  if (name === 'stream' && (written === 'true' || written === 'false')) return written === 'true';
  return written;
}

/** Only sound in the form of WAV is understood here. */
function secondsOf(data: Buffer): number {
  if (data.length <= WAV_HEADER_BYTES || data.toString('latin1', 0, 4) !== 'RIFF') return 0;
  return (data.length - WAV_HEADER_BYTES) / data.readUInt32LE(WAV_RATE_AT);
}

function read(body: Json, model: OpenaiModel, key: string): Ask {
  const prompt = string(body.prompt);
  const seconds = numeric(body.seconds) ?? 0;
  const byTokens = Math.ceil(seconds * TOKENS_PER_SECOND) + countTokens(prompt);
  const inputTokens = model.bills === 'tokens' ? byTokens : Math.ceil(seconds);
  const streams = body.stream === true && model.bills === 'tokens';
  return {
    ...wordlessAsk({ model, body, key, inputTokens, text: prompt }),
    stream: streams ? 'stream' : 'plain',
  };
}

function isJson({ ask }: Plan): boolean {
  return ['json', 'verbose_json', ''].includes(string(ask.body.response_format));
}

function saidBy({ parts }: Plan): readonly string[] {
  return parts.flatMap((part) => part.tokens);
}

function usageOf({ ask, counts, directive }: Plan): object | null | undefined {
  const { input, output } = counts;
  const byTokens = ask.model.vendor === 'openai' && ask.model.bills === 'tokens';
  return twistUsage(
    directive.usage,
    byTokens
      ? { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output }
      : { type: 'duration', seconds: input },
  );
}

function plain(plan: Plan): string {
  const said = saidBy(plan).join('');
  const { body } = plan.ask;
  if (!isJson(plan)) return `${said}\n`;
  const usage = usageOf(plan);
  return writeJson({
    ...(body.response_format === 'verbose_json' ? { task: 'transcribe', duration: body.seconds } : {}),
    text: said,
    ...(usage === undefined ? {} : { usage }),
  });
}

function* frames(plan: Plan): Iterable<Frame> {
  const said = saidBy(plan);
  for (const { text: delta, count } of pieces(plan, said)) {
    yield content({ data: writeJson({ type: 'transcript.text.delta', delta }), output: count });
  }
  const usage = usageOf(plan);
  const done = {
    type: 'transcript.text.done',
    text: said.join(''),
    ...(usage === undefined ? {} : { usage }),
  };
  yield { ...envelope(writeJson(done)), kind: 'terminator' };
}
