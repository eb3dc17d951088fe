import type { UpstreamHead } from './contract.ts';
import { isHeaderValue } from './vendor.ts';

/**
 * Headers of a vendor's answer that the client may see, under the client's name for them. All others are
 * removed: cookies, the vendor's organisation and project, its servers and its cache.
 */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['content-type', 'content-type'],
  ['retry-after', 'retry-after'],
  ['retry-after-ms', 'retry-after-ms'],
  ['x-should-retry', 'x-should-retry'],
  ['openai-processing-ms', 'openai-processing-ms'],
  ['openai-version', 'openai-version'],
  // `x-request-id` and `request-id` are the gateway's. The vendor's support needs its own.
  ['x-request-id', 'x-upstream-request-id'],
  ['request-id', 'x-upstream-request-id'],
]);

/** `x-ratelimit-*` and `anthropic-ratelimit-*`. */
function isRateLimit(name: string): boolean {
  return name.startsWith('x-ratelimit-') || name.startsWith('anthropic-ratelimit-');
}

/** Types that a browser shows as text or not at all. */
const INERT = /^(?:application\/json|text\/event-stream)[\t ]*(?:;|$)/i;
/**
 * The console has the gateway's origin. A browser that opens an answer must not run a page or a picture of
 * the vendor's as a part of it.
 */
const POLICY = ['content-security-policy', "sandbox; default-src 'none'"] as const;

/** Flat: name, value, name, value, to be written beside the gateway's own. */
export function answerHeaders(headers: UpstreamHead['headers']): string[] {
  const passed = passHeaders(headers);
  if (!INERT.test(headers['content-type'] ?? '')) passed.push(...POLICY);
  return passed;
}

/** The same for content that is saved as a file, whatever type the vendor gives it. */
export function downloadHeaders(headers: UpstreamHead['headers']): string[] {
  return [...passHeaders(headers), ...POLICY, 'content-disposition', 'attachment'];
}

function passHeaders(headers: UpstreamHead['headers']): string[] {
  const passed: string[] = [];
  let idSeen = false;
  for (const name in headers) {
    const value = headers[name];
    const passedName = ALLOWED.get(name) ?? (isRateLimit(name) ? name : '');
    if (passedName === '' || value === undefined || !isHeaderValue(value)) continue;
    if (passedName === 'x-upstream-request-id') {
      if (idSeen) continue;
      idSeen = true;
    }
    passed.push(passedName, value);
  }
  return passed;
}
