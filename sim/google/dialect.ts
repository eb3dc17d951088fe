import { CARRIAGE_RETURN_EVENTS, content, type Framing, JSON_ARRAY } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findGoogle, type GoogleModel } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { type Json, parseJson, record } from '../request/json.ts';
import { isRecord, type Shape } from '../request/shape.ts';
import { framesOfGenerate, plainGenerate } from './answer.ts';
import { camelize } from './camel.ts';
import { googleError, googleFailure, googleHeaders } from './error.ts';
import { readGenerate } from './read.ts';
import { GENERATE_REQUEST } from './shape.ts';
import { refuseGenerate } from './validate.ts';

export type Operation = 'generateContent' | 'streamGenerateContent';

const asEvents = googleDialect('streamGenerateContent', CARRIAGE_RETURN_EVENTS);
const asArray = googleDialect('streamGenerateContent', JSON_ARRAY);
const asWhole = googleDialect('generateContent', JSON_ARRAY);

/** The stream of Google has two framings; `alt=sse` in the query chooses. */
export function googleGenerate(operation: Operation, query: URLSearchParams): Dialect {
  if (operation === 'generateContent') return asWhole;
  return query.get('alt') === 'sse' ? asEvents : asArray;
}

function googleDialect(operation: Operation, framing: Framing): Dialect {
  const listed = operation === 'streamGenerateContent' && framing === JSON_ARRAY;
  return {
    vendor: 'google',
    examine: (request) => {
      const examined = examineGoogle(request, operation, GENERATE_REQUEST);
      if ('kind' in examined) return listed ? inList(examined) : examined;
      const refusal = refuseGenerate(examined.body, examined.model, request.path);
      if (refusal !== undefined) return listed ? inList(refusal) : refusal;
      const stream = operation === 'generateContent' ? 'plain' : 'stream';
      return readGenerate({ ...examined, key: request.key, stream });
    },
    newAnswerId: () => newId(23),
    plain: plainGenerate,
    frames: (plan) => framesOfGenerate(plan, framing),
    framing: () => framing,
    headers: googleHeaders,
    failure: (status, message) => {
      const reply = googleFailure(status, message);
      return listed ? inList(reply) : reply;
    },
    failureFrame: (message) =>
      content({ data: JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } }), output: 0 }),
  };
}

/** Without `alt=sse` an error is the only element of the array (rule V-6). */
function inList(reply: Reply): Reply {
  return { ...reply, body: `[${reply.body.trimEnd()}\n]\n` };
}

export function examineGoogle(
  request: VendorRequest,
  operation: string,
  shape: Shape,
): { readonly body: Json; readonly model: GoogleModel } | Reply {
  const model = findGoogle(request.pathModel);
  if (model === undefined) return modelUnknown(request, operation);
  const parsed = parseJson(request.body.toString());
  if ('problem' in parsed) {
    return googleError(400, `Invalid JSON payload received. ${parsed.problem}`);
  }
  if (!isRecord(parsed.value)) {
    return googleError(400, 'Invalid JSON payload received. Root element must be a message.');
  }
  return { body: record(camelize(shape, parsed.value)), model };
}

function modelUnknown(request: VendorRequest, operation: string): Reply {
  const version = request.path.split('/')[1] ?? 'v1beta';
  const method = operation === 'streamGenerateContent' ? 'generateContent' : operation;
  return googleError(
    404,
    `models/${request.pathModel} is not found for API version ${version}, ` +
      `or is not supported for ${method}. Call ` +
      'ModelService.ListModels to see the list of available models and their supported methods.',
  );
}
