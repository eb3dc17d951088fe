import type { Data } from '../../../api/api.ts';

export type Credential = Data<'getOverviewByCredential'>['credentials'][number];
export type Route = Data<'getOverviewByRoute'>['routes'][number];

/** What is read again when health changes. */
export const HEALTH = ['getOverviewByCredential', 'getOverviewByRoute'] as const;
