const KIB = 1024;
const MIB = 1024 * KIB;

/** Requests of one batch: what Anthropic and OpenAI allow. */
export const MESSAGE_BATCH_ITEMS_MAX = 100_000;
export const BATCH_ITEMS_MAX = 50_000;
/** What all requests of a batch may use together: more than any batch can, and few enough to be exact. */
export const BATCH_TOKENS_MAX = 1_000_000_000_000;
/** One request of a batch. It is read as a whole. */
export const ITEM_BYTES_MAX = 16 * MIB;
/** One line of results. A longer one passes as it is, and its usage is unknown. */
export const RESULT_BYTES_MAX = 64 * MIB;
/** Requests are read in one turn of the event loop up to so many bytes, together. */
export const ITEMS_TURN_BYTES = 128 * KIB;
