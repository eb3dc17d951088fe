import { type Freed, formatFreed } from '../../catalog/freed.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable } from '../fields.ts';
import { Type } from '../schema.ts';

/** The yes to a price that becomes 0 or is removed (rule I-102), in the body of a write. */
export const CONFIRM_FREE = Type.Boolean({
  description:
    'Required as `true` if a price or a rate of an existing entry becomes 0, or a price is removed. Otherwise 1001.',
});

export const FREED = Type.Array(
  Type.Object({
    entity: Type.String(),
    key: Type.String({ description: 'Code, name, model_id or id.' }),
    field: Type.String({ description: 'Such as prices.output.' }),
    before: Type.String(),
    after: nullable(Type.String({ description: 'Null: the price is removed.' })),
    text: Type.String({ description: 'The change in one line.' }),
  }),
  {
    description:
      'Prices and rates that become 0, and prices that are removed. Applying needs `confirm_free`.',
  },
);

export function shownFreed(freed: Freed): object {
  return { ...freed, text: formatFreed(freed) };
}

/** The number of prices that a message names, enough to find them. */
const NAMED_MAX = 5;

export function freedFailure(freed: readonly Freed[]): Failure {
  const named = freed.slice(0, NAMED_MAX).map(formatFreed).join(', ');
  const more = freed.length > NAMED_MAX ? ` and ${freed.length - NAMED_MAX} more` : '';
  return fail(
    'badParameter',
    `confirm_free must be true, because prices become 0 or are removed: ${named}${more}`,
  );
}
