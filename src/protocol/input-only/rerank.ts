import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { OPEN_BRACKET } from '../bytes/ascii.ts';
import { countElements } from '../bytes/skim.ts';
import type { ByteRange } from '../dialect.ts';
import { createInputOnlyDialect, type EstimatedRequest } from './dialect.ts';
import { FILES_OF_OTHERS } from './media-keys.ts';

/** A model reads each document with the query, and with instructions of the vendor. */
const DOCUMENT_TOKENS = 100;
/** A text of many digits or of another script has up to this many tokens for each byte. */
const QUERY_RATE = 1 / 2;
/** Cohere cuts a document into pieces that are never shorter than this, and bills each hundred of them. */
const PIECE_TOKENS_MIN = 250;
const PIECES_PER_UNIT = 100;

/** The form of Jina and most others, and that of Cohere, which reports search units instead of tokens. */
export const rerank = createInputOnlyDialect({
  protocol: 'rerank',
  input: { query: ['text', 'object'], documents: ['list'] },
  media: FILES_OF_OTHERS,
  sign: 'results',
  reported: [
    ...['usage.prompt_tokens', 'usage.total_tokens', 'meta.billed_units.input_tokens'],
    ...['meta.billed_units.total_tokens', 'meta.tokens.input_tokens'],
  ],
  units: 'meta.billed_units.search_units',
  estimate: (request) => {
    const { inputTokensEstimate } = request.input;
    const documents = countDocuments(request);
    const query = Math.ceil(lengthOf(request.at('query')) * QUERY_RATE);
    const pieces = documents + Math.ceil(inputTokensEstimate / PIECE_TOKENS_MIN);
    return {
      inputTokensEstimate: inputTokensEstimate + documents * (query + DOCUMENT_TOKENS),
      outputTokensMax: Math.ceil(pieces / PIECES_PER_UNIT),
      unitsLikely: Math.ceil(documents / PIECES_PER_UNIT),
    };
  },
});

/** Many megabytes are not walked again: no body has more documents than values. */
function countDocuments({ body, values, at }: EstimatedRequest): number {
  const range = at('documents');
  if (range === undefined || body[range.start] !== OPEN_BRACKET) return 0;
  return lengthOf(range) > READ_AGAIN_BYTES_MAX ? values : countElements(body, range.start);
}

function lengthOf(range: ByteRange | undefined): number {
  return range === undefined ? 0 : range.end - range.start;
}
