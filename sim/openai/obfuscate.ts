import type { Plan } from '../answer/plan.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const WIDTH = 16;

/** Streams of OpenAI carry noise, so that the length of an event does not give away its token. */
export function obfuscate(plan: Plan, token: string): string {
  let noise = '';
  for (let left = WIDTH - (token.length % WIDTH); left > 0; left--) {
    noise += ALPHABET.charAt(Math.floor(plan.random.unit() * ALPHABET.length));
  }
  return noise;
}
