import type { Reply } from '../ask.ts';
import { check } from '../check.ts';
import type { Json } from '../json.ts';
import type { OpenaiModel } from '../models.ts';
import { describe } from '../openai/error.ts';
import { RESPONSES_REQUEST } from './shape.ts';

/** The first thing that is wrong with a request, in the words of the vendor (conversion.md 20.2). */
export function refuseResponses(
  body: Json,
  _model: OpenaiModel | undefined,
  _key: string,
): Reply | undefined {
  const [problem] = check(RESPONSES_REQUEST, body);
  return problem === undefined ? undefined : describe(problem);
}
