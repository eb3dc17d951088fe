/** As a socket lends what it read: whoever gets the bytes has them until it returns. */
export function lend<Result>(bytes: Buffer, borrow: (lent: Buffer) => Result): Result {
  const lent = Buffer.from(bytes);
  try {
    return borrow(lent);
  } finally {
    lent.fill('#');
  }
}
