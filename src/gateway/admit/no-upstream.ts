import { ERRORS, type Refusal } from '../../kernel/errors.ts';

const NAME_CHARS_MAX = 100;
const NOT_SHOWN = /[\p{Cc}\p{Cs}\u2028\u2029]/gu;

/**
 * Puts the model's name into a 50201. Usually the name is misspelt, or it is the vendor's name for the model.
 */
export function nameModel(refusal: Refusal, modelId: string): Refusal {
  if (refusal.error !== ERRORS.noUpstream || modelId === '') return refusal;
  const name = modelId.slice(0, NAME_CHARS_MAX).replace(NOT_SHOWN, '?');
  const message = `No available upstream for this model: "${name}"; use the platform model_id as the model name`;
  return { ...refusal, message };
}
