import { useState } from 'react';
import { CodeBlock } from '../../../parts/code/code-block.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import css from '../side.module.css';
import { usePlaygroundTexts } from '../texts.ts';
import { objectOf } from './conversation.ts';
import { type Exchange, readable } from './exchange.ts';

export interface RawProps {
  readonly exchanges: readonly { readonly name: string; readonly exchange: Exchange | undefined }[];
}

/** The last request and its answer as they were sent, headers and all, without the key. */
export function Raw({ exchanges }: RawProps) {
  const t = usePlaygroundTexts().raw;
  const [place, setPlace] = useState('0');
  const shown = exchanges[Number(place)] ?? exchanges[0];
  const exchange = shown?.exchange;
  return (
    <>
      {exchanges.length > 1 && (
        <Segmented
          block
          size="sm"
          label={t.lane}
          value={place}
          onChange={setPlace}
          options={exchanges.map(({ name }, at) => ({ value: String(at), label: name }))}
        />
      )}
      {exchange === undefined ? (
        <Empty plain title={t.empty}>
          {t.emptyHelp}
        </Empty>
      ) : (
        <>
          <CodeBlock title={t.request} samples={[sample('request', requestText(exchange))]} />
          <CodeBlock title={t.response} samples={[sample('response', responseText(exchange, t.noAnswer))]} />
          <p className={css.help}>
            {exchange.received.length > 1 && t.events(exchange.received.length)} {exchange.isCut && t.cut}
          </p>
        </>
      )}
    </>
  );
}

function sample(key: string, code: string) {
  return { key, label: key, code, language: 'text' as const };
}

function headerLines(headers: Exchange['requestHeaders']): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}

function requestText({ path, requestHeaders, requestBody }: Exchange): string {
  return `POST ${path}\n${headerLines(requestHeaders)}\n\n${requestBody}`;
}

function responseText({ status, responseHeaders, received }: Exchange, noAnswer: string): string {
  if (status === 0) return noAnswer;
  const head = `HTTP ${status}\n${headerLines(responseHeaders)}`;
  const [only = ''] = received;
  const whole = received.length === 1 ? objectOf(only) : undefined;
  const body = whole === undefined ? received.map((data) => `data: ${data}`).join('\n\n') : readable(whole);
  return `${head}\n\n${body}`;
}
