import type { LentBytes } from '../../../src/kernel/encoding/lent-bytes.ts';

/** As a socket lends what it read: whoever gets the bytes has them until it returns. */
export function lend<Result>(bytes: Buffer, borrow: (lent: LentBytes) => Result): Result {
  const lent = Buffer.from(bytes);
  try {
    return borrow(lent);
  } finally {
    lent.fill('#');
  }
}
