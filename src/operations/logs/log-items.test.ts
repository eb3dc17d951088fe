import { expect, test } from 'vitest';
import type { Receipt } from '../../ledger/receipt.ts';
import { shownReceipt } from './log-items.ts';

test.each(['byok', 'credits'] as const)(
  'of a call paid by %s, users see the names of their own credentials and no others',
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
