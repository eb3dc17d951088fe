import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { MICRO } from '../../kernel/money.ts';
import { choice, decimal, text } from './reader.ts';

/** Yuan or Credits in a file: far above any honest one, far below what a sum could overflow. */
export const AMOUNT_MAX = 1_000_000_000;
/** 100 is list price; ten thousand times that is a slip of the finger. */
export const RATE_MAX = 1_000_000;
export const LIST_RATE = 100n * MICRO;
export const INTEGER_MAX = 2_147_483_647;

export const rate = decimal(RATE_MAX);
export const amount = decimal(AMOUNT_MAX);
export const name = text({ lengthMax: 200 });
export const status = choice('enabled', 'disabled');
export const code = text({
  lengthMax: 64,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  shape: 'letters, digits, ".", "_" and "-"',
});
/** The name of a model may be a part of an address, and `.` and `..` mean another place there. */
export const modelId = text({
  lengthMax: MODEL_NAME_LENGTH_MAX,
  pattern: /^(?!\.{1,2}$)[^\s"\\]+$/,
  shape: 'a name without spaces, quotes and backslashes, and not of dots alone',
});
export const vendorModelId = text({
  lengthMax: MODEL_NAME_LENGTH_MAX,
  pattern: /^(?!\.{1,2}$)\S+$/,
  shape: 'a name without spaces, and not of dots alone',
});
