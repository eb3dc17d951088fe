import { SECRET_LENGTH_MAX } from '../../bounds.ts';
import { CLOUD_FIELDS, cloudProtocols, secretOnOneLine } from '../cloud.ts';
import { CLOUD_KINDS, type Cloud, type Vendor } from '../contract.ts';
import { address, choice, object, optional, type Reader, report, required, text } from './reader.ts';
import type { TreeMap } from './yaml-tree.ts';

const place = text({
  lengthMax: 100,
  pattern: /^[a-z0-9][a-z0-9.:-]*$/,
  shape: 'small letters, digits, ".", ":" and "-"',
});

const KEYS = {
  apiVersion: 'api_version',
  region: 'region',
  project: 'project',
  location: 'location',
  tokenUrl: 'token_url',
} as const;

const rawCloud = object({
  kind: required('kind', choice(...CLOUD_KINDS)),
  apiVersion: optional<string | undefined>(KEYS.apiVersion, place, undefined),
  region: optional<string | undefined>(KEYS.region, place, undefined),
  project: optional<string | undefined>(KEYS.project, place, undefined),
  location: optional<string | undefined>(KEYS.location, place, undefined),
  tokenUrl: optional<string | undefined>(KEYS.tokenUrl, address, undefined),
});

/** What is not set is not there, so that two equal ones print the same. */
export const cloudShape: Reader<Cloud | undefined> = (position) => {
  const { kind, ...fields } = rawCloud(position);
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  const { required: needed, open } = CLOUD_FIELDS[kind];
  for (const name of needed) {
    if (fields[name] === undefined) report(position, `${kind} needs ${KEYS[name]}`);
  }
  const known: readonly string[] = [...needed, ...open];
  for (const [name] of set) {
    if (!known.includes(name)) report(position, `${kind} has no ${KEYS[name as keyof typeof KEYS]}`);
  }
  return { kind, ...Object.fromEntries(set) };
};

/** The complaint about protocols that the cloud does not serve. */
export function whyNotServed({ cloud, protocols }: Pick<Vendor, 'cloud' | 'protocols'>): string | undefined {
  if (cloud === undefined) return undefined;
  const served = cloudProtocols(cloud);
  if (protocols.every((protocol) => served.includes(protocol))) return undefined;
  return `${cloud.kind}${cloud.apiVersion === undefined ? '' : ' with api_version'} serves ${served.join(', ')}`;
}

const plainSecret = text({
  lengthMax: SECRET_LENGTH_MAX,
  // It becomes a header's value, so a line end or a space in it is a slip (or an attack).
  pattern: /^[!-~]+$/,
  shape: 'printable characters without spaces',
});

/** A key; or, for clouds, an object of several parts, written as a map or as its JSON text. */
export const secretShape: Reader<string> = (position) => {
  const { tree } = position;
  if (tree.kind === 'list' || (tree.kind === 'scalar' && typeof tree.value !== 'string')) {
    return plainSecret(position);
  }
  const line = secretOnOneLine(tree.kind === 'map' ? JSON.stringify(toParts(tree)) : tree.text);
  const origin = tree.kind === 'map' ? 'file' : tree.origin;
  const scalar = { kind: 'scalar', line: tree.line, value: line, text: line, origin } as const;
  return plainSecret({ ...position, tree: scalar });
};

function toParts({ entries }: TreeMap): Record<string, string> {
  const parts = [...entries].map(([key, part]) => [key, part.kind === 'scalar' ? part.text : '']);
  return Object.fromEntries(parts);
}
