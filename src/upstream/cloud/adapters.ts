import type { CloudKind } from '../../catalog/contract.ts';
import type { CloudAdapter } from '../contract.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { vertex } from './vertex.ts';

const ADAPTERS: Readonly<Record<CloudKind, CloudAdapter>> = { azure, bedrock, vertex };

export function getCloudAdapter(kind: CloudKind): CloudAdapter {
  return ADAPTERS[kind];
}
