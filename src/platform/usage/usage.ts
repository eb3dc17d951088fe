import type { Endpoint } from '../endpoint.ts';
import { type ExportNeeds, exportEndpoints } from './export.ts';
import { type LogNeeds, logEndpoints } from './logs.ts';
import { type StatsNeeds, statsEndpoints } from './stats.ts';
import { groupEndpoints } from './stats-groups.ts';

/** The endpoints about the usage of an account: logs, exports, statistics. */
export interface UsageNeeds extends LogNeeds, ExportNeeds, StatsNeeds {}

export function usageEndpoints(needs: UsageNeeds): readonly Endpoint[] {
  return [
    ...logEndpoints(needs),
    ...exportEndpoints(needs),
    ...statsEndpoints(needs),
    ...groupEndpoints(needs),
  ];
}
