import { DOCTOR_FINDINGS_MAX, DOCTOR_PAGE_ROWS } from '../../bounds.ts';
import { costMicro } from '../../catalog/price.ts';
import type { CheckName, Finding } from '../../ledger/doctor.ts';
import { decodePrice, type PriceJson } from '../catalog/price-json.ts';
import type { Database } from '../database.ts';
import { type UsageColumns, usageFromRow } from '../logs/usage-row.ts';
import { PRICED_CALLS, QUESTIONS } from './doctor-questions.ts';

interface PricedCall extends UsageColumns {
  readonly call_id: string;
  readonly created_at: Date;
  readonly price: PriceJson | null;
  readonly amount_micro: bigint;
}

/** The ledger is too large to be checked in the time that was given. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/**
 * Checks the whole ledger at one moment, also while a server is running. The statements read whole tables:
 * open the database with DOCTOR_TIMEOUT_MS, or let it throw OutOfTime.
 */
export async function examine(
  database: Database,
  hasTime: () => boolean = () => true,
): Promise<readonly Finding[]> {
  return await database.transaction(async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    // Every query reads whole tables. A plan for few rows took five times as long.
    await transaction.query('set local enable_nestloop = off');
    await transaction.query("set local work_mem = '64MB'");
    const findings: Finding[] = [];
    for (const [check, question] of Object.entries(QUESTIONS)) {
      if (!hasTime()) throw new OutOfTime();
      const rows = await transaction.query<Omit<Finding, 'check'>>(question, [DOCTOR_FINDINGS_MAX]);
      for (const { subject, detail } of rows) findings.push({ check: check as CheckName, subject, detail });
    }
    findings.push(...(await examinePrices(transaction, hasTime)));
    return findings;
  });
}

/** Recomputes the price of every call with the same function, from the data of the log. */
async function examinePrices(transaction: Database, hasTime: () => boolean): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let last: readonly [string, string] = ['-infinity', ''];
  while (findings.length < DOCTOR_FINDINGS_MAX) {
    if (!hasTime()) throw new OutOfTime();
    const page: readonly PricedCall[] = await transaction.query<PricedCall>(PRICED_CALLS, [
      ...last,
      DOCTOR_PAGE_ROWS,
    ]);
    for (const call of page) {
      const detail = findWrongAmount(call);
      if (detail !== undefined)
        findings.push({ check: 'amount-price', subject: `call ${call.call_id}`, detail });
    }
    const end = page.at(-1);
    if (end === undefined || page.length < DOCTOR_PAGE_ROWS) break;
    last = [end.created_at.toISOString(), end.call_id];
  }
  return findings.slice(0, DOCTOR_FINDINGS_MAX);
}

function findWrongAmount(call: PricedCall): string | undefined {
  let expectedMicro: bigint;
  try {
    expectedMicro = call.price === null ? 0n : costMicro(usageFromRow(call), decodePrice(call.price));
  } catch (error) {
    return `its price snapshot cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (expectedMicro === call.amount_micro) return undefined;
  return `amount ${call.amount_micro}, recomputed ${expectedMicro}`;
}
