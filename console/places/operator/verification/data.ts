import type { Row } from '../../../api/api.ts';

export type Application = Row<'listVerifications'>;

export const TONES = { pending: 'warn', approved: 'ok', refused: 'bad' } as const;
