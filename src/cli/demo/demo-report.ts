import { formatMicro } from '../../kernel/money.ts';
import { inputTokens, outputTokens, type Usage } from '../../kernel/usage.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import type { Output } from '../command.ts';
import { curlLine, SHAPES, type Shape, VIDEO } from './demo-shapes.ts';

export interface DemoCall {
  readonly shape: Shape;
  readonly words: string;
  /** From the call log: what was counted and charged. */
  readonly call: LoggedCall;
}

export interface DemoReport {
  readonly url: string;
  readonly key: string;
  readonly accounts: readonly { readonly email: string; readonly role: string; readonly password: string }[];
  readonly calls: readonly DemoCall[];
  readonly creditsBeforeMicro: bigint;
  readonly creditsAfterMicro: bigint;
  /** Set when the default port is in use. */
  readonly note: string | undefined;
}

const WORDS_LENGTH_MAX = 60;

/** One line, for programs. */
export function printJson(report: DemoReport, output: Output): void {
  const { url, key, accounts, calls } = report;
  output.line(
    JSON.stringify({
      url,
      api_key: key,
      accounts,
      calls: calls.map(({ shape, words, call }) => ({
        request_id: call.callId,
        name: shape.name,
        path: shape.path,
        model_used: call.modelUsed,
        status: call.status,
        answer: words,
        input_tokens: inputTokens(call.usage),
        output_tokens: outputTokens(call.usage),
        images: call.usage.images,
        amount: formatMicro(call.amountMicro),
        credits: formatMicro(call.creditsMicro),
      })),
      credits_before: formatMicro(report.creditsBeforeMicro),
      credits_after: formatMicro(report.creditsAfterMicro),
    }),
  );
}

export function printReport(report: DemoReport, output: Output): void {
  const { accounts, calls, note } = report;
  const before = formatMicro(report.creditsBeforeMicro);
  const after = formatMicro(report.creditsAfterMicro);
  for (const call of calls) output.line(`${callLines(call)}\n`);
  output.line(`Credits of ${accounts[0]?.email}: ${before} before the five calls, ${after} after.`);
  if (note !== undefined) output.line(note);
}

function callLines({ shape, words, call }: DemoCall): string {
  const cost = `${formatMicro(call.amountMicro)} yuan, ${formatMicro(call.creditsMicro)} Credits`;
  return [
    `${shape.name}: POST ${shape.path}`,
    `  ${call.modelUsed}${shape.form === 'stream' ? ', streamed' : ''}: ${firstWords(words)}`,
    `  ${usageText(call.usage)}; ${cost}`,
  ].join('\n');
}

/** As many whole words as fit on a line. */
function firstWords(words: string): string {
  if (words.length <= WORDS_LENGTH_MAX) return words;
  return `${words.slice(0, words.lastIndexOf(' ', WORDS_LENGTH_MAX))} …`;
}

function usageText(usage: Usage): string {
  const tokens = `${inputTokens(usage)} tokens in, ${outputTokens(usage)} out`;
  if (usage.images === 0) return tokens;
  return `${tokens}, ${usage.images} ${usage.images === 1 ? 'image' : 'images'}`;
}

const LABEL_WIDTH = 12;

/** Where to look, how to sign in, and commands to copy while the demo serves. */
export function printInvitation({ url, key, accounts }: DemoReport, output: Output): void {
  const width = Math.max(...accounts.map(({ email }) => email.length));
  const row = (label: string, text: string): void => output.line(`  ${label.padEnd(LABEL_WIDTH)}${text}`);
  output.line(
    '\nOpen the console and sign in. A few calls keep coming, so that there is something to see.\n',
  );
  row('Console', `${url}/`);
  for (const { email, role, password } of accounts) {
    row(`${role.charAt(0).toUpperCase()}${role.slice(1)}`, `${email.padEnd(width)}   password ${password}`);
  }
  row('API key', key);
  row('Reference', `${url}/docs`);
  output.line('\nOr call it:\n');
  for (const shape of SHAPES) output.line(`${curlLine(shape, url, key)}\n`);
  output.line('A video is a job: the first line begins one, the second shows how far it is.\n');
  output.line(`${curlLine(VIDEO, url, key)}\n`);
  output.line(`curl '${url}${VIDEO.path}' \\\n  -H "Authorization: Bearer ${key}"\n`);
  output.line('Ctrl-C stops the demo and removes its data.');
}
