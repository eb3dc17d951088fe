import { DOCTOR_TIMEOUT_MS } from '../../bounds.ts';
import { type Command, EXIT } from '../command.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check every invariant of the ledger and print the findings. Exit code 1 if there are any.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: ['--json          print the findings as JSON'],
  notes: [
    'Calls that were not paid in full are listed too, with vendor and cause. They are not findings:',
    'the ledger records them correctly, and the exit code stays 0.',
  ],
  run: (input) =>
    atTerminal(
      input,
      async (terminal) => {
        const report = await terminal.data<Report>('doctor.get');
        say(input, report, lines(report));
        return report.findings.length === 0 ? EXIT.ok : EXIT.failed;
      },
      DOCTOR_TIMEOUT_MS,
    ),
};

interface Report {
  readonly checks: number;
  readonly findings: readonly {
    readonly check: string;
    readonly subject: string;
    readonly detail: string;
    readonly promise: string;
    readonly reading: string;
  }[];
  readonly shortfalls: {
    readonly calls: number;
    readonly credits: string;
    readonly newest: readonly { readonly detail: string }[];
  };
}

function lines({ checks, findings, shortfalls }: Report): readonly string[] {
  return [
    ...findings.map(
      ({ check, subject, detail, promise, reading }) =>
        `${check}: ${subject}: ${detail}\n  must hold: ${promise}\n  likely: ${reading}`,
    ),
    ...shortfalls.newest.map(({ detail }) => `shortfall: ${detail}`),
    ...(shortfalls.calls > 0 ? [describeShortfalls(shortfalls)] : []),
    findings.length === 0
      ? `the ledger is correct: ${checks} checks, no findings`
      : `${findings.length} findings in ${checks} checks`,
  ];
}

function describeShortfalls({ calls, credits, newest }: Report['shortfalls']): string {
  const told = newest.length < calls ? `; the newest ${newest.length} are listed above` : '';
  return `${calls} calls were not paid in full, ${credits} Credits in total${told}. The ledger records them correctly.`;
}
