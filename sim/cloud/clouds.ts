import type { Reply } from '../request/ask.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { assumeRole, entraToken, googleToken, metadataToken } from './tokens.ts';
import { vertex } from './vertex.ts';
import type { Cloud, CloudWorld, Visit, Visitor } from './visit.ts';

/** The first part of the path tells which cloud it is; real ones have names of their own. */
const CLOUDS: ReadonlyMap<string, Cloud> = new Map<string, Cloud>([
  ['azure', azure],
  ['bedrock', bedrock],
  ['vertex', vertex],
  ['entra', entraToken],
  ['google-token', googleToken],
  ['metadata', metadataToken],
  ['sts', assumeRole],
]);

/** Nothing: the request is for no cloud. */
export function enterCloud(visitor: Visitor, world: CloudWorld): Visit | Reply | undefined {
  return CLOUDS.get(visitor.url.pathname.split('/')[1] ?? '')?.(visitor, world);
}
