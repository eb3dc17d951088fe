import { type ExportNeeds, exportOperations } from './logs/export.ts';
import { type LogNeeds, logOperations } from './logs/logs.ts';
import type { Operation } from './operation.ts';
import { type StatsNeeds, statsOperations } from './stats/stats.ts';
import { groupOperations } from './stats/stats-groups.ts';

/** The endpoints about the usage of an account: logs, exports, statistics. */
export interface UsageNeeds extends LogNeeds, ExportNeeds, StatsNeeds {}

export function usageOperations(needs: UsageNeeds): readonly Operation[] {
  return [
    ...logOperations(needs),
    ...exportOperations(needs),
    ...statsOperations(needs),
    ...groupOperations(needs),
  ];
}
