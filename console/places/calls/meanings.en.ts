import type { CallCode } from './codes.en.ts';

/** What a code means, in a sentence, as docs/errors.md has it. */
export const codeMeanings: Readonly<Record<CallCode, string>> = {
  40001: 'The request carried no key: it belongs into the Authorization header as a bearer token.',
  40002: 'The body was not a valid JSON object.',
  40003: 'The field “model” was missing or not a text.',
  40004: 'No vendor of this model can take the request as it was written; the message names the field.',
  40101: 'The key is unknown, deleted, disabled or expired, or its account is disabled.',
  40201: 'The Credits did not pay for the call, or ran out while it was answered.',
  40202: 'There was no way to pay: no own vendor key, no plan, and no Credits with API billing on.',
  40203: 'The model is open only to accounts with a certain verification or plan; the message names which.',
  40204: 'The monthly cap on spending outside the plan left too little for this call.',
  40401: 'The gateway does not serve this path; mostly /v1 is missing or doubled in the base address.',
  40402: 'The account has no file, batch, video, response or conversation with this id.',
  40501: 'The path exists, but not with this HTTP method.',
  41301: 'The body was larger than 100 MiB, as sent or after decoding.',
  41501: 'The content type or the encoding of the body is not supported.',
  42601: 'The client began a WebSocket. Tollgate serves HTTP only.',
  42901: 'As many calls were running as the limit allows; calls do not queue.',
  42902: 'A limit of requests, images, videos, spending or coverage was used up in its window of time.',
  42903: 'A limit of tokens was used up in its window of time.',
  50001: 'The gateway itself had a fault; if it comes again, report the call.',
  50201: 'The model is unknown or disabled, or no vendor serves it at the moment.',
  50202: 'No vendor of the model could be reached, or the vendor broke off.',
  50301: 'The gateway was overloaded or shutting down; try again shortly.',
  50401: 'No vendor answered within the time limits.',
};
