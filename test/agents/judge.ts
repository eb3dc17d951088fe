import type { TruthCall } from '../../sim/truth.ts';
import type { Visit } from './doorman.ts';
import type { Ended } from './program.ts';

/** Everything that is known of one run of an agent. */
export interface Evidence {
  readonly ended: Ended;
  readonly secret: string;
  readonly visits: readonly Visit[];
  readonly tool: string;
  readonly truth: readonly TruthCall[];
  /** What the vendor was sent in a call. */
  readonly bodyOf: (call: TruthCall) => Buffer | undefined;
}

/** What is wrong; nothing when the loop was closed. */
export function judge({ ended, secret, visits, tool, truth, bodyOf }: Evidence): readonly string[] {
  const problems: string[] = [];
  if (ended.exitCode !== 0) problems.push(`exit code ${ended.exitCode ?? 'none: it was too slow'}`);
  // An agent that tries again after an error may well get through; a user would see it fail first.
  for (const { method, path, status } of visits)
    if (method === 'POST' && status >= 400) problems.push(`${path} was answered ${status}`);
  const called = truth.flatMap(({ said }) => said?.calls ?? []).map(({ name }) => name);
  if (!called.some((name) => name === tool || name.endsWith(`__${tool}`)))
    problems.push(`the vendor called ${called.join(', ') || 'no tool'}`);
  const informed = truth.filter((call) => bodyOf(call)?.includes(secret));
  const last = informed.findLast(({ said, finished }) => finished === 'complete' && said?.finish === 'stop');
  if (informed.length === 0) problems.push('the result of the tool did not reach the vendor');
  else if (last === undefined) problems.push('the vendor gave no answer after the tool');
  else if (!plainText(ended.printed).includes(plainText(last.said?.text ?? '')))
    problems.push('the answer was not printed');
  return problems;
}

/** Agents print JSON or wrapped text: what counts is the words. */
function plainText(text: string): string {
  return text.replaceAll(/\\n|\s+/g, ' ').trim();
}
