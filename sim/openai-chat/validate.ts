import type { Reply } from '../ask.ts';
import { check } from '../check.ts';
import type { Json } from '../json.ts';
import type { OpenaiModel } from '../models.ts';
import { describe, openaiError } from '../openai/error.ts';
import { CHAT_REQUEST } from './shape.ts';

/** The first thing that is wrong with a request, in the words of the vendor (conversion.md 20.1). */
export function refuseChat(body: Json, _model: OpenaiModel | undefined): Reply | undefined {
  const [problem] = check(CHAT_REQUEST, body);
  if (problem === undefined) return undefined;
  if (problem.code === 'unknown' && problem.path.length === 1) {
    return openaiError(400, { message: `Unrecognized request argument supplied: ${problem.path[0]}` });
  }
  return describe(problem);
}
