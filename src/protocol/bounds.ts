/** How much foreign JSON is processed in one turn of the event loop. More limits are in `../bounds.ts`. */

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * A larger plain answer or event of a vendor gets an outline while it arrives: where its large values end.
 * Then at most this many bytes of its small values are read one by one in one turn. Ordinary answers have
 * fewer in the places that are read. A run of blanks, or one number, may not be longer than this either.
 */
export const OUTLINED_BYTES_MIN = 256 * KIB;
export const WALKED_BYTES_MAX = 512 * KIB;
export const BLANK_RUN_BYTES_MAX = 4 * KIB;
/**
 * How many characters of structure and values of a request are scanned in one turn, however few bytes they
 * are.
 */
export const SCAN_STEPS_MAX = 32_000;
/** Lines of one event. Vendors write two or three, or one for each line of their JSON. */
export const EVENT_LINES_MAX = 10_000;
/** Characters of long strings with escapes in a converted body: a million tokens. */
export const WHOLE_ESCAPED_CHARS_MAX = 5 * MIB;
/**
 * The size of a plain answer that is converted, and its number of values. Most values are log probabilities.
 */
export const WHOLE_ANSWER_BYTES_MAX = 32 * MIB;
export const WHOLE_ANSWER_VALUES_MAX = 50_000;
/** The size of one converted event, in one turn: an image in base64, or the repetition of a long answer. */
export const CONVERTED_EVENT_BYTES_MAX = 12 * MIB;
export const CONVERTED_EVENT_VALUES_MAX = 50_000;
/** The length of sound: bytes decoded at a time, steps of a turn (about a millisecond), streams in a file. */
export const SOUND_WINDOW_BYTES = 48 * KIB;
export const SOUND_STEPS_MAX = 16_384;
export const SOUND_STREAMS_MAX = 32;
