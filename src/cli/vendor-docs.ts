import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloudQuestions, type SecretForm } from '../catalog/presets/cloud-questions.ts';
import type { Preset, PresetModel, Quirks, Tried } from '../catalog/presets/preset.ts';
import { vendorPresets } from '../catalog/presets/presets.ts';
import type { PriceName } from '../catalog/price-fields.ts';

/**
 * `npm run vendors` writes the end of docs/vendors.md, from this heading on, out of the presets; a test fails
 * while the two differ. What stands before it is written by hand.
 */
const HEADING = '## Vendors that Tollgate knows';
const vendorDocsPath = join(import.meta.dirname, '..', '..', 'docs', 'vendors.md');

export function writtenVendorDocs(): string {
  return readFileSync(vendorDocsPath, 'utf8');
}

/** The page with its end made anew. */
export function renderVendorDocs(page: string, presets: readonly Preset[]): string {
  const place = page.indexOf(`${HEADING}\n`);
  const byHand = place === -1 ? `${page.trimEnd()}\n\n` : page.slice(0, place);
  return byHand + [...introduction(presets), ...presets.flatMap(vendorSection)].join('\n');
}

export function vendorDocs(): string {
  return renderVendorDocs(writtenVendorDocs(), vendorPresets());
}

const TRIED_WITH: Readonly<Record<Tried, string>> = {
  vendor: 'the vendor itself',
  recordings: 'recordings',
  simulator: 'a simulator',
  nothing: 'nothing',
};

const SEEN: Readonly<Record<Tried, string>> = {
  vendor: 'Seen to work with the vendor itself.',
  recordings:
    'Its protocol is checked with recordings of the vendor itself; calls, streams, conversion and charges were seen with a simulator.',
  simulator:
    'Calls, streams, conversion from another protocol and charges were seen with a simulator that has these quirks, never with the vendor itself.',
  nothing: 'It was never tried.',
};

function introduction(presets: readonly Preset[]): readonly string[] {
  return [
    HEADING,
    '',
    'This part is written by `npm run vendors` from `src/catalog/presets/vendors`; change the files there. [Add a vendor](operations.md)',
    'with `tollgate vendor add CODE`. List prices are what a vendor asks for a million tokens, or for a video; each has its day and where it was read:',
    'LiteLLM’s public price map, or a public copy of the vendor’s price page. A model without a found figure has no price. Quirks are',
    'from recordings, documents, reports of others or general knowledge; only those of recordings were seen here.',
    '',
    '| Code | Vendor | Protocols | Models | Tried with |',
    '|---|---|---|--:|---|',
    ...presets.map(({ code, name, addresses, models, tried }) => {
      const spoken = [...new Set(addresses.flatMap(({ protocols }) => protocols))];
      return row(`\`${code}\``, name, spoken.join(', '), String(models.length), TRIED_WITH[tried]);
    }),
    '',
  ];
}

function vendorSection(preset: Preset): readonly string[] {
  const { code, name, addresses, keysUrl, tried, quirks, notes, models } = preset;
  return [
    `### ${name}`,
    `\`${code}\`. ${SEEN[tried]} ${keysUrl === undefined ? 'It needs no key.' : `[Keys](${keysUrl}).`}`,
    '',
    ...addresses.map(({ protocols, baseUrl, site, when }) => {
      const of = site === undefined ? '' : `, ${site === 'china' ? 'China' : 'international'}`;
      const only = when === undefined ? '' : `, with \`${when}\``;
      return `- \`${baseUrl}\`: ${protocols.join(', ')}${of}${only}`;
    }),
    ...cloudLines(preset).map((line) => `- ${line}`),
    ...[...quirkLines(quirks), ...notes].map((line) => `- ${line}`),
    '',
    ...(models.length === 0 ? [] : modelTable(models)),
  ];
}

/** What `vendor add` asks for, in the words of a catalogue file. */
function cloudLines(preset: Preset): readonly string[] {
  const questions = cloudQuestions(preset);
  if (questions === undefined) return [];
  const fields = questions.fields.map(
    ({ name, isRequired }) => `\`${name}\`${isRequired ? '' : ' (may be left out)'}`,
  );
  const secrets = questions.secrets.map(({ name, parts, fixed, variable }) => {
    const named = parts.map((part) => `\`${part.name}\`${part.isRequired ? '' : ' (may be left out)'}`);
    if (parts.length > 0) return `${SECRET_NAMES[name]} of ${named.join(', ')}`;
    return fixed === undefined
      ? `${SECRET_NAMES[name]} (\`${variable}\`)`
      : `\`${fixed}\`, ${SECRET_NAMES[name]}`;
  });
  return [`It is asked for ${fields.join(', ')}.`, `Its secret is ${secrets.join('; or ')}.`];
}

const SECRET_NAMES: Readonly<Record<SecretForm['name'], string>> = {
  key: 'an API key',
  entra: 'an object for Entra ID',
  aws: 'an object',
  'service-account': 'the JSON key of a service account',
  workload: 'the identity of the machine',
};

const USAGE: Readonly<Record<Quirks['streamUsage'], string>> = {
  asked: '',
  always: 'The last event of a stream has the usage, asked for or not.',
  choice: 'The usage of a stream stands inside the last choice.',
  never: 'Streams have no usage: the gateway counts.',
};

const THINKING: Readonly<Record<Quirks['reasoning'], string>> = {
  none: '',
  reasoning_content: 'Thinking stands in `reasoning_content`.',
  reasoning: 'Thinking stands in `reasoning`.',
  think_tags: 'Thinking stands in the text, between `<think>` and `</think>`.',
};

function quirkLines(quirks: Quirks): readonly string[] {
  const refused = quirks.refuses.map((field) => `\`${field}\``).join(', ');
  return [
    refused === '' ? '' : `It refuses ${refused}.`,
    USAGE[quirks.streamUsage],
    quirks.streamEnd === 'none' ? 'Streams end without `[DONE]`.' : '',
    THINKING[quirks.reasoning],
    quirks.streamComments ? 'Streams may have comment lines.' : '',
  ].filter((line) => line !== '');
}

const SHOWN: readonly PriceName[] = ['input', 'output', 'cache_input', 'cache_write', 'video'];
const COLUMNS = ['Input', 'Output', 'Cache read', 'Cache write', 'A video'];

function modelTable(models: readonly PresetModel[]): readonly string[] {
  const isShown = (name: PriceName): boolean =>
    name !== 'video' || models.some(({ prices }) => prices?.amounts.video !== undefined);
  const shown = SHOWN.filter(isShown);
  return [
    row('Model', 'Context', 'Longest answer', ...COLUMNS.slice(0, shown.length), 'Figures'),
    `|---|--:|--:|${'--:|'.repeat(shown.length)}---|`,
    ...models.map(({ id, forward, contextWindow, maxOutputTokens, prices }) =>
      row(
        forward === undefined ? `\`${id}\`` : `\`${id}\` (\`${forward}\`)`,
        ...[figure(contextWindow), figure(maxOutputTokens)],
        ...shown.map((name) => prices?.amounts[name] ?? ''),
        prices === undefined ? 'none found' : `${prices.currency}, ${prices.asOf}, ${prices.source}`,
      ),
    ),
    '',
  ];
}

function figure(tokens: number | undefined): string {
  return tokens === undefined ? '' : String(tokens);
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

if (import.meta.main) writeFileSync(vendorDocsPath, vendorDocs());
