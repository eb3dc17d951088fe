import type { GoogleModel } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, record, records, string } from '../request/json.ts';
import type { Problem } from '../request/shape.ts';
import { refuseConfig } from './config.ts';
import { refuseContents } from './conversation.ts';
import { describe, googleError } from './error.ts';
import { generateInputTokens } from './read.ts';
import { GENERATE_REQUEST } from './shape.ts';
import { refuseSignatures } from './signature.ts';
import { refuseTools } from './tools.ts';

/** Fields that v1 does not have. */
const BETA_ONLY = ['systemInstruction', 'tools', 'toolConfig', 'cachedContent'];

/** The first thing that is wrong with a request, in the words of the vendor (rule V-6). */
export function refuseGenerate(body: Json, model: GoogleModel, path: string): Reply | undefined {
  const problems = [...(path.startsWith('/v1/') ? betaProblems(body) : []), ...check(GENERATE_REQUEST, body)];
  if (problems.length > 0) return describe(problems);
  const cached = refuseCached(body);
  if (cached !== undefined) return cached;
  const message =
    refuseContents(body, model) ??
    refuseMedia(body) ??
    refuseTools(body, model) ??
    refuseConfig(body, model) ??
    refuseSignatures(records(body.contents), model) ??
    refuseContext(body, model);
  return message === undefined ? undefined : googleError(400, message);
}

function betaProblems(body: Json): readonly Problem[] {
  const used = BETA_ONLY.filter((name) => body[name] !== undefined);
  return used.map((name) => ({ code: 'unknown', path: [name] }) as const);
}

/** A cache is a resource of the account; this account has none. */
function refuseCached(body: Json): Reply | undefined {
  if (body.cachedContent === undefined) return undefined;
  if ((body.systemInstruction ?? body.tools ?? body.toolConfig) !== undefined) {
    return googleError(
      400,
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or ' +
        'tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.',
    );
  }
  return googleError(403, 'CachedContent not found (or permission denied)');
}

const MEDIA = [
  /^image\/(png|jpeg|webp|heic|heif)$/,
  /^(audio|video|text)\/[a-z0-9.+-]{1,60}$/,
  /^application\/(pdf|json)$/,
];

function refuseMedia(body: Json): string | undefined {
  for (const [index, content] of records(body.contents).entries()) {
    for (const [at, part] of records(content.parts).entries()) {
      if (part.inlineData === undefined) continue;
      const media = string(record(part.inlineData).mimeType);
      if (media === '') {
        const place = `contents[${index}].parts[${at}].inline_data.mime_type`;
        return `* GenerateContentRequest.${place}: must be specified`;
      }
      if (!MEDIA.some((pattern) => pattern.test(media))) return `Unsupported MIME type: ${media}`;
    }
  }
  return undefined;
}

function refuseContext(body: Json, model: GoogleModel): string | undefined {
  const tokens = generateInputTokens(body);
  if (tokens <= model.contextTokens) return undefined;
  return (
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed ` +
    `(${model.contextTokens}).`
  );
}
