import { type Config, readConfig } from '../../src/config.ts';

/** The configuration of an environment, which must be right. */
export function configOf(environment: Record<string, string>): Config {
  const result = readConfig(environment);
  if (result.kind === 'config-errors') throw new Error(result.errors.join('; '));
  return result.config;
}
