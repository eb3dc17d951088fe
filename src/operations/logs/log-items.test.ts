import { expect, test } from 'vitest';
import type { Receipt } from '../../ledger/receipt.ts';
import { shownReceipt } from './log-items.ts';

test.each(['byok', 'credits'] as const)(
  'users see the names of their own credentials only, in a call paid by %s',
  (payer) => {
    const tried = { route_id: 1, vendor: 'openai', outcome: '401', duration_ms: 5 };
    const attempts = [
      { ...tried, credential: 'platform-main', own: false },
      { ...tried, credential: 'mine', own: true },
    ];
    const shown = shownReceipt({ payer, attempts } as unknown as Receipt);
    expect(shown).toEqual({ payer, attempts: [tried, { ...tried, credential: 'mine' }] });
  },
);
