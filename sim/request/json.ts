import { isRecord } from './shape.ts';

/** Reads of requests that have passed their shape: what is not there, or not of the type, is nothing. */
export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = Object.freeze({});

export function record(value: unknown): Json {
  return isRecord(value) ? value : NOTHING;
}

export function records(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function numeric(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A body that is not JSON is an expected outcome: nothing, and the place of the error. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
