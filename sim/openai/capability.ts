import type { OpenaiModel } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import type { Json } from '../request/json.ts';
import { invalid } from './error.ts';

/** Sampling that a reasoning model takes only at its default value. */
const DEFAULTS: ReadonlyMap<string, number> = new Map([
  ['temperature', 1],
  ['top_p', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
]);

/** Reasoning models refuse sampling unless reasoning is off (rule V-3). */
export function refuseSampling(body: Json, model: OpenaiModel, effort: unknown): Reply | undefined {
  if (model.kind !== 'reasoning' || effort === 'none') return undefined;
  for (const [name, standard] of DEFAULTS) {
    const value = body[name];
    if (value === undefined || value === null || value === standard) continue;
    return invalid(
      `Unsupported value: '${name}' does not support ${String(value)} with this model. ` +
        `Only the default (${standard}) value is supported.`,
      name,
      'unsupported_value',
    );
  }
  for (const name of ['logprobs', 'top_logprobs', 'logit_bias', 'stop']) {
    if (body[name] === undefined || body[name] === null || body[name] === false) continue;
    return unsupportedParameter(name);
  }
  return undefined;
}

export function unsupportedParameter(name: string): Reply {
  return invalid(
    `Unsupported parameter: '${name}' is not supported with this model.`,
    name,
    'unsupported_parameter',
  );
}

/** `param` is `reasoning_effort` or `reasoning.effort`. */
export function refuseEffort(effort: unknown, model: OpenaiModel, param: string): Reply | undefined {
  if (typeof effort !== 'string' || model.efforts.includes(effort)) return undefined;
  if (model.kind !== 'reasoning') return unsupportedParameter(param);
  const supported = model.efforts.map((name) => `'${name}'`);
  const listed = `${supported.slice(0, -1).join(', ')}, and ${supported.at(-1)}`;
  return invalid(
    `Unsupported value: '${effort}' is not supported with the '${model.name}' model. ` +
      `Supported values are: ${listed}.`,
    param,
    'unsupported_value',
  );
}

/** The first refusal of several rules. */
export function firstRefusal(rules: readonly (() => Reply | undefined)[]): Reply | undefined {
  for (const rule of rules) {
    const refusal = rule();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
