import { REPEATED_TEXTS_MAX } from '../../bounds.ts';
import type { Prices } from '../../catalog/contract.ts';
import type { PriceSnapshot, Rates } from '../../catalog/price.ts';
import type { LeasedWindow } from '../../gate/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { isCount } from '../../kernel/encoding/reader.ts';
import type { CallTerms } from '../contract.ts';

/**
 * The parts of a record that calls of a key repeat: account, key, model, route, price, and the windows that
 * count it. Their text is most of a record, so the last one of each key is cached.
 */
interface Repeated {
  /** The call that the text belongs to. The record of a call never changes. */
  readonly call: CallTerms;
  readonly text: string;
  /** Parallel to the call's windows; without the closing brace, so that an ended call can add its use. */
  readonly windows: readonly string[];
}

const lastOfKey = new Map<number, Repeated>();

export function repeatedText(call: CallTerms): Repeated {
  const last = lastOfKey.get(call.keyId);
  if (last !== undefined && isSameText(last.call, call) && areSameWindows(last.call, call)) return last;
  const windows = call.windows.map(encodeWindow);
  const repeated = { call, text: encodeRepeated(call), windows };
  if (lastOfKey.size >= REPEATED_TEXTS_MAX) lastOfKey.clear();
  lastOfKey.set(call.keyId, repeated);
  return repeated;
}

function isSameText(last: CallTerms, call: CallTerms): boolean {
  return (
    last.price === call.price &&
    last.accountId === call.accountId &&
    last.routeId === call.routeId &&
    last.stream === call.stream &&
    last.keyName === call.keyName &&
    last.modelAsked === call.modelAsked &&
    last.modelUsed === call.modelUsed &&
    last.vendor === call.vendor &&
    last.protocolIn === call.protocolIn &&
    last.protocolOut === call.protocolOut &&
    last.payer === call.payer
  );
}

function areSameWindows(last: CallTerms, call: CallTerms): boolean {
  const { windows } = call;
  if (last.windows.length !== windows.length) return false;
  for (let index = 0; index < windows.length; index++) {
    const one = last.windows[index] as LeasedWindow;
    const other = windows[index] as LeasedWindow;
    const isSame =
      one.startedAtMs === other.startedAtMs &&
      one.seconds === other.seconds &&
      one.dimension === other.dimension &&
      one.scope === other.scope;
    if (!isSame) return false;
  }
  return true;
}

function encodeRepeated(call: CallTerms): string {
  assert(isId(call.accountId) && isId(call.keyId) && isId(call.routeId), 'ids are whole numbers');
  return (
    `"accountId":${call.accountId},"keyId":${call.keyId},"keyName":${quote(call.keyName)}` +
    `,"modelAsked":${quote(call.modelAsked)},"modelUsed":${quote(call.modelUsed)}` +
    `,"protocolIn":"${call.protocolIn}","stream":${call.stream},"payer":"${call.payer}"` +
    `,"routeId":${call.routeId},"vendor":${quote(call.vendor)},"protocolOut":${quote(call.protocolOut)}` +
    `,"price":${call.price === null ? 'null' : encodePrice(call.price)}`
  );
}

function encodeWindow({ scope, dimension, seconds, startedAtMs }: LeasedWindow): string {
  assert(isCount(seconds) && isCount(startedAtMs), 'a window begins and lasts');
  return (
    `{"scope":${quote(scope)},"dimension":"${dimension}","seconds":${seconds}` +
    `,"startedAtMs":${startedAtMs}`
  );
}

/** Prices belong to the catalogue and rates to a route, so many keys share them. */
const priceTexts = new WeakMap<Prices, string>();
const rateTexts = new WeakMap<Rates, string>();

function encodePrice({ prices, rates }: PriceSnapshot): string {
  return `{"prices":${stringifyOnce(priceTexts, prices)},"rates":${stringifyOnce(rateTexts, rates)}}`;
}

function stringifyOnce<Value extends object>(texts: WeakMap<Value, string>, value: Value): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (_, field) =>
    typeof field === 'bigint' ? `${field}` : (field ?? null),
  );
  texts.set(value, text);
  return text;
}

/** Names of models, keys, vendors and outcomes repeat with every call. */
const quotedTexts = new Map<string, string>();

export function quote(text: string | null): string {
  if (text === null) return 'null';
  const known = quotedTexts.get(text);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(text);
  if (quotedTexts.size >= REPEATED_TEXTS_MAX) quotedTexts.clear();
  quotedTexts.set(text, quoted);
  return quoted;
}

export function isId(value: number | null): boolean {
  return value === null || Number.isSafeInteger(value);
}
