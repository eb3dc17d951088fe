import { REDIS } from '../needs.ts';
import { BUGS } from './bugs.ts';

/** The bugs that can be planted here: the tests that catch those of the gate on Redis need a Redis. */
export const PLANTED = BUGS.filter(({ file }) => REDIS.isMet || !file.includes('/redis/'));
