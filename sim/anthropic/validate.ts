import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from '../ask.ts';
import { check } from '../check.ts';
import type { Json } from '../json.ts';
import type { AnthropicModel } from '../models.ts';
import { struct } from '../shape.ts';
import { anthropicError, describe } from './error.ts';
import { COUNT_FIELDS, MESSAGES_BY_VERSION } from './shape.ts';

export interface Examined {
  readonly body: Json;
  readonly model: AnthropicModel | undefined;
  readonly purpose: 'generate' | 'count';
  readonly version: string;
  readonly headers: IncomingHttpHeaders;
}

/** The first thing that is wrong with a request, in the words of the vendor (conversion.md 20.3). */
export function refuseMessages(examined: Examined): Reply | undefined {
  const { body, purpose, version } = examined;
  const fields = MESSAGES_BY_VERSION.get(version);
  if (fields === undefined)
    return anthropicError(400, `anthropic-version: "${version}" is not a valid version`);
  const [problem] = check(struct(purpose === 'count' ? COUNT_FIELDS : fields), body);
  return problem === undefined ? undefined : describe(problem);
}
