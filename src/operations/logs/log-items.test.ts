import { expect, test } from 'vitest';
import type { Receipt } from '../../ledger/receipt.ts';
import { shownReceipt, toReader } from './log-items.ts';

test.each(['byok', 'credits'] as const)(
  'users see the names of their own credentials only, the terminal and operators all, in a call paid by %s',
  (payer) => {
    const tried = { route_id: 1, vendor: 'openai', outcome: '401', duration_ms: 5 };
    const attempts = [
      { ...tried, credential: 'platform-main', own: false },
      { ...tried, credential: 'mine', own: true },
    ];
    const receipt = { payer, attempts } as unknown as Receipt;
    const shown = shownReceipt(receipt, toReader({}));
    expect(shown).toEqual({ payer, attempts: [tried, { ...tried, credential: 'mine' }] });
    const actor = { accountId: undefined, address: 'terminal', action: 'call show' };
    const seen = shownReceipt(receipt, toReader({ actor }));
    expect(seen).toEqual({ payer, attempts: attempts.map(({ own: _own, ...attempt }) => attempt) });
  },
);
