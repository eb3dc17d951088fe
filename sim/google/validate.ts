import type { Reply } from '../ask.ts';
import { check } from '../check.ts';
import type { Json } from '../json.ts';
import type { GoogleModel } from '../models.ts';
import type { Operation } from './dialect.ts';
import { describe } from './error.ts';
import { GENERATE_REQUEST } from './shape.ts';

/** The first thing that is wrong with a request, in the words of the vendor (conversion.md 20.4). */
export function refuseGenerate(body: Json, _model: GoogleModel, _operation: Operation): Reply | undefined {
  const problems = check(GENERATE_REQUEST, body);
  return problems.length === 0 ? undefined : describe(problems);
}
