import { isRefusal, type Refusal } from '../../../kernel/errors.ts';
import { CLOSE_BRACE } from '../../bytes/ascii.ts';
import type { JsonScan } from '../../bytes/scan.ts';
import { isWord, skipSpace } from '../../bytes/skim.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../../dialect.ts';
import { compileMediaKeys } from '../../media/finder.ts';
import { inputFacts } from '../../meter/input-estimate.ts';
import { compileMembers } from '../../pass-through/metered-keys.ts';
import {
  boundAnswers,
  foundFigure,
  foundLimit,
  foundTrue,
  readModel,
  scanRequest,
} from '../../pass-through/request.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  stream: ['stream', 'flag'],
  answers: ['n', 'count'],
  outputMax: ['max_tokens', 'limit'],
  outputMaxNew: ['max_completion_tokens', 'limit'],
  streamOptions: ['stream_options', 'object'],
  includeUsage: ['stream_options.include_usage', 'flag'],
  tools: ['tools', 'list'],
  format: ['response_format', 'object'],
});
const { slots } = TREE;
export const CHAT_MEMBERS = TREE.members;
/** A vendor that knows only the older field uses that one; a vendor that knows both uses the newer. */
const LIMITS = [slots.outputMax, slots.outputMaxNew];
const ANSWERS = [slots.answers];
const WATCHED = {
  media: compileMediaKeys({
    raw: ['tools', 'functions', 'response_format'],
    part: ['image_url', 'input_audio', 'audio_url', 'file', 'video_url'],
    inner: ['url', 'data', 'file_data', 'file_id'],
  }),
};

export function readChatRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  return scanRequest(request.body, TREE, (scan) => readFacts(request.body, scan), WATCHED);
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const { found } = scan;
  const model = readModel(body, found[slots.model]);
  if (isRefusal(model)) return model;
  const stream = foundTrue(body, found[slots.stream]);
  const usageSplice = stream
    ? findUsageSplice(body, found[slots.streamOptions]?.at(-1), found[slots.includeUsage]?.at(-1))
    : undefined;
  const about = {
    protocol: 'chat',
    model: model.model,
    tools: found[slots.tools]?.at(-1),
    hasFormat: found[slots.format] !== undefined,
  } as const;
  const input = inputFacts(body, scan, about);
  return {
    ...model,
    stream,
    outputTokensMax: foundLimit(body, scan, LIMITS),
    answers: boundAnswers(foundFigure(body, scan, ANSWERS)),
    images: 0,
    inputTokensEstimate: input.inputTokensEstimate,
    inputTokensLikely: input.inputTokensLikely,
    mediaTokens: input.mediaTokens,
    holdsEnvelope: scan.holdsEnvelope,
    usageInjected: usageSplice !== undefined,
    usageSplice,
    edit: false,
  };
}

type UsageSplice = NonNullable<RequestFacts['usageSplice']>;

/**
 * Where `include_usage` must be inserted so that the vendor reports usage. `undefined` if the client set it.
 */
export function findUsageSplice(
  body: Buffer,
  options: ByteRange | undefined,
  asked: ByteRange | undefined,
): UsageSplice | undefined {
  if (options === undefined) {
    const top = skipSpace(body, 0, body.length) + 1;
    return { at: { start: top, end: top }, text: '"stream_options":{"include_usage":true},' };
  }
  if (isWord(body, options.start, options.end, 'null')) {
    return { at: options, text: '{"include_usage":true}' };
  }
  if (asked === undefined) return insertIncludeUsage(body, options);
  return isWord(body, asked.start, asked.end, 'true') ? undefined : { at: asked, text: 'true' };
}

function insertIncludeUsage(body: Buffer, options: ByteRange): UsageSplice {
  const inside = options.start + 1;
  const isEmpty = body[skipSpace(body, inside, options.end)] === CLOSE_BRACE;
  return { at: { start: inside, end: inside }, text: `"include_usage":true${isEmpty ? '' : ','}` };
}
