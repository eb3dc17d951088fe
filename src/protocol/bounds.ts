/** What of foreign JSON is worked on in one turn of the event loop; more of them are in `../bounds.ts`. */

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * A vendor's plain answer or event above this is outlined while it arrives: where its large values end. Then
 * so many bytes of its small values are looked at one by one, in one turn; no honest one has more of them
 * where we look. Blanks, or one number, without any other sign do not go on for longer.
 */
export const OUTLINED_BYTES_MIN = 256 * KIB;
export const WALKED_BYTES_MAX = 512 * KIB;
export const BLANK_RUN_BYTES_MAX = 4 * KIB;
/** Signs and values of a request that are scanned in one turn, however few bytes they are. */
export const SCAN_STEPS_MAX = 32_000;
/** Lines of one event: a vendor writes two or three, or one for each line of its JSON. */
export const EVENT_LINES_MAX = 10_000;
/** Characters of long strings with escapes in what is converted: a million tokens. */
export const WHOLE_ESCAPED_CHARS_MAX = 5 * MIB;
/** A plain answer that is converted, and its values: probabilities of a long one are most of them. */
export const WHOLE_ANSWER_BYTES_MAX = 32 * MIB;
export const WHOLE_ANSWER_VALUES_MAX = 50_000;
/** One event that is converted, in one turn: a picture in base64, or the repetition of a long answer. */
export const CONVERTED_EVENT_BYTES_MAX = 12 * MIB;
export const CONVERTED_EVENT_VALUES_MAX = 50_000;
