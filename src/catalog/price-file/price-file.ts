import { CATALOG_FILE_BYTES_MAX, CATALOG_FILE_DEPTH_MAX } from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { Problems } from '../file/problems.ts';
import { choice, list, object, optional, required } from '../file/reader.ts';
import { modelId } from '../file/shape-value.ts';
import { readTree } from '../file/yaml-tree.ts';
import { AMOUNTS, type Amounts, knownAmounts } from '../presets/amounts.ts';
import { CURRENCIES, type Currency } from '../presets/preset.ts';
import type { PriceFile } from './figure.ts';
import { readPriceMap } from './price-map.ts';

const BOUNDS = { bytesMax: CATALOG_FILE_BYTES_MAX, depthMax: CATALOG_FILE_DEPTH_MAX };

/** Reads LiteLLM's public price map, or a file of our own. Nothing in it is a variable of the environment. */
export function readPriceFile(text: string): PriceFile {
  const json = parseJson(text, BOUNDS);
  if (json.kind === 'parsed' && isJsonObject(json.value)) {
    const figures = readPriceMap(json.value);
    if (figures.length > 0) return { kind: 'figures', format: 'litellm', figures };
  }
  return readOwnFile(text);
}

const modelShape = object<Amounts & { model: string }>({ model: required('model_id', modelId), ...AMOUNTS });

const fileShape = object<{ currency: Currency; models: readonly (Amounts & { model: string })[] }>({
  currency: optional('currency', choice(...CURRENCIES), 'CNY'),
  models: required('models', list(modelShape)),
});

function readOwnFile(text: string): PriceFile {
  const problems = new Problems();
  const tree = readTree(text, {}, problems);
  const file = tree && fileShape({ tree, path: '', problems });
  if (file === undefined || problems.found) return { kind: 'invalid', problems: problems.list() };
  const { currency } = file;
  return {
    ...{ kind: 'figures', format: 'tollgate' },
    figures: file.models.map(({ model, ...amounts }) => ({
      ...{ provider: undefined, model, currency, amounts: knownAmounts(amounts), isTiered: false },
    })),
  };
}
