import type { World } from '../support/world.ts';
import { UPSTREAMS } from './catalog.ts';
import type { CellResult } from './cell.ts';
import type { Visit } from './doorman.ts';

const WIDTH = 18;
const OUTPUT_CHARACTERS = 1_500;

/** One row for an agent, one column for an upstream dialect. */
export function renderTable(results: readonly CellResult[]): string {
  const names = [...new Set(results.map(({ agent }) => agent.name))];
  const columns = UPSTREAMS.filter((each) => results.some(({ upstream }) => upstream === each));
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell) => cell.padEnd(WIDTH))
      .join('')
      .trimEnd();
  const lines = names.map((name) => {
    const own = results.filter(({ agent }) => agent.name === name);
    const cells = columns.map((each) => verdict(own.find(({ upstream }) => upstream === each)));
    return row([name, ...cells]);
  });
  return [row(['', ...columns.map(({ name }) => name)]), ...lines].join('\n');
}

function verdict(result: CellResult | undefined): string {
  if (result === undefined) return '';
  const seconds = (result.durationMs / 1000).toFixed(1);
  return result.problems.length === 0 ? `ok ${seconds} s` : `FAILED ${seconds} s`;
}

export function renderProblems({ agent, upstream, problems, ended }: CellResult): string {
  const tail = (text: string): string => text.slice(-OUTPUT_CHARACTERS).trim();
  return [
    `${agent.name} → ${upstream.name}: ${problems.join('; ')}`,
    tail(ended.printed),
    tail(ended.complained),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

interface LoggedCall {
  readonly call_id: string;
  readonly protocol_in: string;
  readonly protocol_out: string | null;
}

/** Every request of the agent: what was asked, which way it went, what had to be left behind. */
export async function renderTranscript(world: World, result: CellResult): Promise<string> {
  const { agent, upstream, visits, truth } = result;
  const ids = visits.map(({ requestId }) => requestId);
  const calls = await world.database.query<LoggedCall>(
    'select call_id, protocol_in, protocol_out from calls where call_id = any($1)',
    [ids],
  );
  const lines = visits.map((visit) =>
    visitLine(
      visit,
      calls.find(({ call_id }) => call_id === visit.requestId),
    ),
  );
  const said = truth.map((call) => `  vendor ${call.path} ${call.status}: ${saidLine(call.said)}`);
  return [`${agent.name} → ${upstream.name}`, ...lines, ...said].join('\n');
}

function visitLine(visit: Visit, call: LoggedCall | undefined): string {
  const { method, path, requestBytes, status, dropped } = visit;
  const way = call === undefined ? '' : `, ${call.protocol_in} → ${call.protocol_out ?? 'nobody'}`;
  const left = dropped === '' ? '' : `\n    dropped: ${dropped}`;
  return `  ${method} ${path} (${requestBytes} bytes)${way}: ${status}${left}`;
}

function saidLine(said: CellResult['truth'][number]['said']): string {
  if (said === undefined) return 'refused';
  const calls = said.calls.map(({ name, arguments: given }) => `calls ${name} ${given}`);
  return calls.length > 0 ? calls.join(', ') : said.text;
}
