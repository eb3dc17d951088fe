import type { ApiError } from '../../api/api.ts';

const BAD_PARAMETER = 1001;

/** The link is wrong, used or expired: another try with it is of no use. */
export function isSpent({ code, message }: Pick<ApiError, 'code' | 'message'>): boolean {
  return code === BAD_PARAMETER && /^token\b/.test(message);
}
