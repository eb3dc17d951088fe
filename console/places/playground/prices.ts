import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Data, useApi } from '../../api/api.ts';
import { callGateway } from './gateway.ts';
import type { Ask, CallFacts, Part } from './lanes/conversation.ts';
import { figure } from './wire/answer.ts';
import { promptOf } from './wire/messages.ts';

export type Quote = Data<'quoteCall'>[number];

interface Quantities {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly images?: number;
}

/** What such a call costs, by the server, on the route that is tried first. */
export function useQuote(model: string | undefined, quantities: Quantities | undefined): Quote | undefined {
  const query = { ...(model !== undefined && { model }), ...quantities };
  const quotes = useApi(
    'quoteCall',
    { query },
    {
      enabled: model !== undefined && quantities !== undefined,
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    },
  ).data?.data;
  if (quantities === undefined || quotes === undefined) return undefined;
  return quotes.toSorted((one, other) => one.priority - other.priority)[0];
}

const COUNT_AFTER_MS = 400;

/** How many tokens the gateway counts in the prompt, once typing has paused. */
export function useInputTokens(ask: Ask | undefined): number | undefined {
  const [counted, setCounted] = useState<{ readonly ask: Ask; readonly tokens: number }>();
  useEffect(() => {
    if (ask === undefined) return;
    const leaving = new AbortController();
    const timer = window.setTimeout(() => {
      countInput(ask, leaving.signal).then(
        (tokens) => tokens !== undefined && setCounted({ ask, tokens }),
        () => {},
      );
    }, COUNT_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
      leaving.abort();
    };
  }, [ask]);
  return ask === undefined ? undefined : counted?.tokens;
}

async function countInput(ask: Ask, signal: AbortSignal): Promise<number | undefined> {
  const headers = { 'anthropic-version': '2023-06-01' };
  const path = '/v1/messages/count_tokens';
  const response = await callGateway({ path, body: promptOf(ask), signal, headers });
  if (!response.ok) return undefined;
  return figure(((await response.json()) as { readonly input_tokens?: unknown }).input_tokens);
}

export type LoggedCall = Data<'getCallByItsRequestId'>;

const SOON_MS = 500;
const OLD_MS = 60_000;
const NEWEST = { query: { size: 30 } };

/** A call of the gateway, as it is found in the log. */
export type LoggedFacts = Pick<CallFacts, 'requestId' | 'startedAt' | 'totalMs'>;

/** The call in the log with its receipt, soon after it has ended. Undefined facts: it has not. */
export function useLoggedCall(facts: LoggedFacts | undefined): LoggedCall | undefined {
  const queries = useQueryClient();
  const requestId = facts?.requestId ?? '';
  const isOld = useIsOld(facts);
  const isWanted = requestId !== '';
  const listed = useApi('browseCalls', NEWEST, {
    enabled: isWanted && !isOld,
    staleTime: 0,
    select: ({ data }) => data.calls.some((call) => call.request_id === requestId),
    refetchInterval: ({ state }) =>
      state.data?.data.calls.some((call) => call.request_id === requestId) === true ? false : SOON_MS,
  }).data;
  const isThere = listed === true || isOld;
  const { data } = useApi(
    'getCallByItsRequestId',
    { params: { request_id: requestId } },
    {
      enabled: isWanted && isThere,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  const isKnown = data !== undefined;
  useEffect(() => {
    // The call was paid: the balance beside the page is another one now.
    if (isKnown && !isOld) void queries.invalidateQueries({ queryKey: ['getBalanceAndSwitches'] });
  }, [isKnown, isOld, queries]);
  return data?.data;
}

/** Whether it ended long before it is shown, as after a reload. Then it is in the log already. */
function useIsOld(facts: LoggedFacts | undefined): boolean {
  const [shownAt] = useState(Date.now);
  return facts !== undefined && shownAt - facts.startedAt - (facts.totalMs ?? 0) > OLD_MS;
}

/** About how many tokens have come, while nobody has said. */
export function tokensSoFar(parts: readonly Part[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.kind === 'text' || part.kind === 'thinking') tokens += roughTokens(part.text);
    if (part.kind === 'tool') tokens += roughTokens(part.name + part.input);
  }
  return Math.round(tokens);
}

/** Four letters of an alphabet, or one character of another script. */
function roughTokens(text: string): number {
  const wide = text.match(/[\u2e80-\uffff]/g)?.length ?? 0;
  return wide + (text.length - wide) / 4.5;
}
