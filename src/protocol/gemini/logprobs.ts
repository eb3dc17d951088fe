import type { Logprob } from '../hub/answer.ts';
import { isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { findNumber, findText, listObjects } from './fields.ts';

/** `logprobsResult` of a candidate: the chosen tokens, and the most likely ones for each. */
export function decodeLogprobs(result: JsonValue | undefined): readonly Logprob[] | undefined {
  if (!isObject(result)) return undefined;
  const chosen = listObjects(result.chosenCandidates);
  const tops = listObjects(result.topCandidates);
  if (chosen.length === 0) return undefined;
  return chosen.map((candidate, index) => ({
    ...decodeToken(candidate),
    top: listObjects(tops[index]?.candidates).map(decodeToken),
  }));
}

function decodeToken(candidate: JsonObject): { token: string; logprob: number } {
  return {
    token: findText(candidate.token) ?? '',
    logprob: findNumber(candidate.logProbability) ?? 0,
  };
}

export function encodeLogprobsResult(logprobs: readonly Logprob[] | undefined): JsonObject | undefined {
  if (logprobs === undefined || logprobs.length === 0) return undefined;
  return {
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encodeToken) })),
    chosenCandidates: logprobs.map(encodeToken),
  };
}

function encodeToken({ token, logprob }: { token: string; logprob: number }): JsonObject {
  return { token, logProbability: logprob };
}
