import type { VendorRequest } from '../dialect.ts';
import { listModels } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { record } from '../request/json.ts';
import { examineGoogle } from './dialect.ts';
import { describe, googleError, googleHeaders } from './error.ts';
import { generateInputTokens } from './read.ts';
import { COUNT_REQUEST } from './shape.ts';

/** The contents alone, or a whole request in its envelope: nothing else may stand beside `contents`. */
export function googleCount(request: VendorRequest): Reply {
  const examined = examineGoogle(request, 'countTokens', COUNT_REQUEST);
  if ('kind' in examined) return examined;
  const problems = check(COUNT_REQUEST, examined.body);
  if (problems.length > 0) return describe(problems);
  const totalTokens = generateInputTokens(record(examined.body.generateContentRequest ?? examined.body));
  return answer({ totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] });
}

export function googleModels(): Reply {
  const models = listModels('google').map(({ name, contextTokens, outputTokensMax }) => ({
    name: `models/${name}`,
    displayName: name,
    inputTokenLimit: contextTokens,
    outputTokenLimit: outputTokensMax,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }));
  return answer({ models });
}

export function googleNotFound(request: VendorRequest): Reply {
  return googleError(404, `Requested entity was not found: ${request.path}`);
}

function answer(body: object): Reply {
  return { kind: 'reply', status: 200, headers: googleHeaders(), body: `${JSON.stringify(body, null, 2)}\n` };
}
