import { DOCTOR_TIMEOUT_MS } from '../../bounds.ts';
import { formatMicro } from '../../kernel/money.ts';
import { CHECKS, type Finding } from '../../ledger/doctor.ts';
import { describeShortfall, listCauses, type Shortfall } from '../../ledger/shortfall.ts';
import type { Database } from '../../store/database.ts';
import { examine } from '../../store/operations/doctor.ts';
import { listShortfalls, type Shortfalls } from '../../store/operations/doctor-shortfalls.ts';
import { type Command, type CommandInput, EXIT } from '../command.ts';
import { withStore } from '../workspace.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check every invariant of the ledger and print the findings. Exit code 1 if there are any.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: [
    '--json          print the findings as JSON',
    '',
    'Calls that were not paid in full are listed too, with vendor and cause. They are not findings:',
    'the ledger records them correctly, and the exit code stays 0.',
  ],
  run: (input) => withStore(input, ({ database }) => runDoctor(database, input), DOCTOR_TIMEOUT_MS),
};

async function runDoctor(database: Database, input: CommandInput): Promise<number> {
  const findings = await examine(database);
  const shortfalls = await listShortfalls(database);
  if (input.values.json === true) {
    const checks = Object.keys(CHECKS).length;
    input.output.line(JSON.stringify({ checks, findings, shortfalls: shortfallsJson(shortfalls) }));
  } else print(findings, shortfalls, input);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

function shortfallsJson({ calls, sumMicro, newest }: Shortfalls): object {
  return { calls, credits: formatMicro(sumMicro), newest: newest.map(shortfallJson) };
}

function shortfallJson(shortfall: Shortfall): object {
  const { callId, accountId, model, vendor, of, expected } = shortfall;
  return {
    call_id: callId,
    account_id: accountId,
    model,
    vendor,
    charge: formatMicro(shortfall.chargeMicro),
    held: formatMicro(shortfall.heldMicro),
    shortfall: formatMicro(shortfall.shortfallMicro),
    short_of: of ?? null,
    causes: listCauses(shortfall),
    expected: expected ?? null,
    detail: describeShortfall(shortfall),
  };
}

function print(findings: readonly Finding[], shortfalls: Shortfalls, { output }: CommandInput): void {
  for (const { check, subject, detail } of findings) {
    const { promise, reading } = CHECKS[check];
    output.line(`${check}: ${subject}: ${detail}\n  must hold: ${promise}\n  likely: ${reading}`);
  }
  for (const shortfall of shortfalls.newest) output.line(`shortfall: ${describeShortfall(shortfall)}`);
  if (shortfalls.calls > 0) output.line(summaryOf(shortfalls));
  const checks = Object.keys(CHECKS).length;
  output.line(
    findings.length === 0
      ? `the ledger is correct: ${checks} checks, no findings`
      : `${findings.length} findings in ${checks} checks`,
  );
}

function summaryOf({ calls, sumMicro, newest }: Shortfalls): string {
  const told = newest.length < calls ? `; the newest ${newest.length} are listed above` : '';
  return `${calls} calls were not paid in full, ${formatMicro(sumMicro)} Credits in total${told}. The ledger records them correctly.`;
}
