import { DOCTOR_TIMEOUT_MS } from '../bounds.ts';
import { CHECKS, type Finding } from '../ledger/doctor.ts';
import type { Database } from '../store/database.ts';
import { examine } from '../store/doctor.ts';
import { type Command, type CommandInput, EXIT } from './command.ts';
import { withStore } from './workspace.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check every invariant of the ledger and print what is wrong; exit code 1 when something is.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: ['--json          print the findings as JSON'],
  run: (input) => withStore(input, ({ database }) => runDoctor(database, input), DOCTOR_TIMEOUT_MS),
};

async function runDoctor(database: Database, input: CommandInput): Promise<number> {
  const findings = await examine(database);
  if (input.values.json === true) {
    input.output.line(JSON.stringify({ checks: Object.keys(CHECKS).length, findings }));
  } else print(findings, input);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

function print(findings: readonly Finding[], { output }: CommandInput): void {
  for (const { check, subject, detail } of findings) {
    const { promise, reading } = CHECKS[check];
    output.line(`${check}: ${subject}: ${detail}\n  must hold: ${promise}\n  likely: ${reading}`);
  }
  const checks = Object.keys(CHECKS).length;
  output.line(
    findings.length === 0
      ? `the ledger is sound: ${checks} checks, nothing found`
      : `${findings.length} findings in ${checks} checks`,
  );
}
