import type { UpstreamFailure } from './contract.ts';

/** Codes of undici and of Node that name their kind by themselves. */
const KINDS: Readonly<Record<string, UpstreamFailure['kind']>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'idle',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
};

/** Failures that a connection closed by the other side shows. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const DETAIL_LENGTH_MAX = 300;

/** The request never reached a connection. */
export function describeUnsent(error: Error): UpstreamFailure {
  return { kind: 'connect', detail: detailOf(error) };
}

/** The request was on its way, as far as we know. */
export function describeFailure(error: Error): UpstreamFailure {
  const code = codeOf(error);
  const detail = detailOf(error);
  const known = Object.hasOwn(KINDS, code) ? KINDS[code] : undefined;
  if (known !== undefined) return { kind: known, detail };
  return { kind: isMalformed(error) ? 'protocol' : 'reset', detail };
}

/** undici's parser gives no reliable codes; its names and words are what there is. */
function isMalformed(error: Error): boolean {
  // Closed inside a message: cut, not malformed.
  if (error.name === 'HTTPParserError') return !error.message.includes('EOF');
  // An unasked 100 or 101.
  return error.message === 'bad response' || error.message === 'bad upgrade';
}

/** True for the failures of a connection that the other side closed, and for nothing else. */
export function isClosedByPeer(error: Error): boolean {
  return CLOSED.has(codeOf(error)) && !isMalformed(error);
}

function detailOf(error: Error): string {
  return `${codeOf(error)} ${error.message}`.trim().slice(0, DETAIL_LENGTH_MAX);
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
