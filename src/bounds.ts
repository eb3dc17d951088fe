/**
 * Every limit over foreign data, in one place. A loop, queue, buffer, cache, retry or wait that is not
 * bounded here (or by a setting, whose default is here) does not pass review.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Rule I-19: a request body of exactly this size passes, one byte more is 41301. */
export const REQUEST_BODY_BYTES_MAX = 100 * MIB;
/** Request bodies and buffered plain answers held by one process at a time; above it 50301. */
export const BODIES_IN_FLIGHT_BYTES_MAX = 1024 * MIB;
/** A body may not decode to more than this many times its encoded size (after the first 1 MiB). */
export const DECODE_RATIO_MAX = 100;
/** A plain (not streamed) upstream answer that is held to find its usage. */
export const RESPONSE_BODY_BYTES_MAX = 256 * MIB;
/** An upstream error body that is held to be passed through. */
export const ERROR_BODY_BYTES_MAX = 1 * MIB;
/** The part of it that is read to find the kind of error. */
export const ERROR_READ_BYTES_MAX = 64 * KIB;
/** One event of a stream. `response.completed` repeats the whole output, images included. */
export const STREAM_EVENT_BYTES_MAX = 24 * MIB;
/** Raw bytes of a stream kept for a token estimate before they are counted and dropped. */
export const ESTIMATE_PENDING_BYTES_MAX = 256 * KIB;
/** Text handed to the tokenizer at once; longer text is sampled and scaled. */
export const TOKENIZE_BYTES_MAX = 64 * KIB;
/** Nesting depth of JSON that is accepted. */
export const JSON_DEPTH_MAX = 200;
/** Occurrences of a metered key in a request, and bytes of any key beside one. */
export const METERED_KEYS_MAX = 8;
export const METERED_KEY_BYTES_MAX = 1_024;
/** Bytes of a body that are scanned in one turn. A slice full of tiny files takes longest. */
export const SCAN_TURN_BYTES = 256 * KIB;
/** Bodies above this size are not read a second time for an estimate. */
export const READ_AGAIN_BYTES_MAX = MIB;
/** Characters of a model name. */
export const MODEL_NAME_LENGTH_MAX = 256;
/** A higher token count of a vendor is absurd, and replaced by an estimate. */
export const REPORTED_TOKENS_MAX = 100_000_000;
/** Images that a call may request and be charged for: as many as answers. */
export const IMAGES_PER_CALL_MAX = 128;
/** Rule L-5: a slot is removed when it is older than this. */
export const SLOT_LIFETIME_MS = 600_000;
/** A wait longer than this has `x-should-retry: false`, because SDKs would wait silently. */
export const RETRY_WAIT_MAX_SECONDS = 5;
/** Accounts the gate and the directory keep in memory. */
export const ACCOUNTS_CACHED_MAX = 100_000;
/** How long an unknown key is cached, and how many of them. */
export const UNKNOWN_KEY_MS = 2_000;
export const UNKNOWN_KEYS_MAX = 10_000;
/** Routes that are tried for one call. */
export const ATTEMPTS_MAX = 8;
/** Envoy's retry budget: this share of active calls, at least this many at once. */
export const RETRY_BUDGET_PERCENT = 20;
export const RETRY_BUDGET_MIN = 3;
/** Envoy's outlier detection: consecutive failures, base ejection, longest ejection. */
export const BREAKER_FAILURES = 5;
export const BREAKER_EJECT_MS = 30_000;
export const BREAKER_EJECT_MS_MAX = 300_000;
/** The longest Retry-After of a vendor that is followed. */
export const COOL_DOWN_MS_MAX = 300_000;
/** The journal: bytes of a segment, and bytes in all segments before calls are refused with 50301. */
export const JOURNAL_SEGMENT_BYTES = 16 * MIB;
export const JOURNAL_BYTES_MAX = 1024 * MIB;
export const JOURNAL_RECORD_BYTES_MAX = 64 * KIB;
export const JOURNAL_SYNC_MS = 5;
/** Records in one write. A busy turn has some dozens of about 1 KiB. */
export const JOURNAL_TURN_BYTES = 256 * KIB;
/** Calls settled in one transaction, and how long an ended call waits for others. */
export const SETTLE_BATCH_MAX = 1_000;
export const SETTLE_WAIT_MS = 50;
/** After a batch of so many calls the next wait longer: with few large batches, few calls meet one. */
export const SETTLE_BUSY_CALLS = 20;
export const SETTLE_BUSY_WAIT_MS = 250;
/**
 * When a client leaves after the end of the answer: how long, and for how many bytes, the vendor is read to
 * find the usage. The last event of Responses repeats the whole answer, images included.
 */
export const USAGE_WAIT_MS = 2_000;
export const USAGE_WAIT_BYTES_MAX = 64 * MIB;
/** Output tokens per second of a model: the default, and the maximum. Small and short streams count less. */
export const OUTPUT_SPEED_DEFAULT = 100;
export const OUTPUT_SPEED_MAX = 3_000;
export const OUTPUT_SPEED_TOKENS_MIN = 16;
export const OUTPUT_SPEED_MS = 2_000;
/**
 * A pause of an answer counts as reasoning from this length: if the model surely reasons in this
 * call, and if it only may. A slow model, a network or a busy machine causes shorter ones.
 */
export const REASONING_SILENCE_SURE_MS = 200;
export const REASONING_SILENCE_MS = 3_000;
/** A stream's progress is marked in the journal at most this often. */
export const MARK_MS = 1_000;

/** A statement that runs longer than this is cancelled. */
export const SQL_TIMEOUT_MS = 10_000;
export const SQL_CONNECTIONS_MAX = 10;
/** A catalogue file. */
export const CATALOG_FILE_BYTES_MAX = 4 * MIB;
/** A migration may rewrite a table. A start that waits longer than this fails. */
export const MIGRATION_TIMEOUT_MS = 600_000;
/** A migration file. The largest has a few KiB. */
export const MIGRATION_FILE_BYTES_MAX = 1 * MIB;
/** The connect timeout of the database. */
export const SQL_CONNECT_TIMEOUT_MS = 5_000;
/** How long the driver waits beyond the server's statement timeout before it closes the connection. */
export const SQL_SILENCE_MS = 2_000;
/** Waits of the notice listener between reconnects; interval and timeout of its probe. */
export const LISTEN_RETRY_MS = 100;
export const LISTEN_RETRY_MS_MAX = 1_000;
export const LISTEN_PROBE_MS = 3_000;

/** Nodes of a catalogue file after aliases are resolved, against alias bombs. */
export const CATALOG_FILE_NODES_MAX = 200_000;
export const CATALOG_FILE_ALIASES_MAX = 1_000;
export const CATALOG_FILE_DEPTH_MAX = 20;
/** Entries of one list of a catalogue file, and problems reported at once. */
export const CATALOG_LIST_MAX = 10_000;
export const CATALOG_PROBLEMS_MAX = 100;
/** Routes of one model, disabled ones included. */
export const ROUTES_PER_MODEL_MAX = 100;
/** Windows of one policy or plan: each is one more counter on every call. */
export const POLICY_WINDOWS_MAX = 16;
/** Characters of a password. NIST requires at least 8, and a bound on what is hashed. */
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;
/**
 * Passwords hashed at once: 128 MiB and one thread of the pool each. Few wait, because each waiting one has
 * a place of the platform (PLATFORM_ACTIVE_MAX), and guessers must not get most of them.
 */
export const PASSWORD_HASHES_AT_ONCE = 2;
export const PASSWORD_HASHES_WAITING_MAX = 10;
/** Videos and batches of one account that run at once. If many begin at the same moment, a few more may. */
export const JOBS_PER_ACCOUNT_MAX = 1_000;
/** Keys of one account, and characters of their names (rule S-11). */
export const KEYS_PER_ACCOUNT_MAX = 500;
export const NAME_LENGTH_MAX = 100;
/** Rule I-51: entries of one page. */
export const PAGE_SIZE_MAX = 100;
/** A vendor credential. The longest known ones have some 2,000 characters. */
export const SECRET_LENGTH_MAX = 4_096;
/** Secrets sealed again by one statement of a rotation. */
export const SEAL_AGAIN_BATCH = 500;
/** Reads of a snapshot during changes, before it is used without being cached. */
export const SNAPSHOT_RELOADS_MAX = 3;
/** Changes that are recorded during one load. */
export const CHANGES_NOTED_MAX = 1_000;
/** A catalogue that could not be loaded is loaded again after this. */
export const CATALOG_RELOAD_MS = 1_000;
/** Timeouts of the embedded server: to be ready (it may replay its log first), and to stop. */
export const EMBEDDED_START_MS = 120_000;
export const EMBEDDED_STOP_MS = 30_000;
/** Memory for pages of the embedded server: an eighth of the machine's, within these. */
export const EMBEDDED_CACHE_SHARE = 1 / 8;
export const EMBEDDED_CACHE_BYTES_MIN = 128 * MIB;
export const EMBEDDED_CACHE_BYTES_MAX = 1_024 * MIB;
/** Bytes of the embedded server's log that are kept, and that an error message quotes. */
export const EMBEDDED_LOG_BYTES_MAX = 8 * MIB;
export const EMBEDDED_LOG_TAIL_BYTES = 2 * KIB;
/** A lock file is one short line. A longer one is another file. */
export const LOCK_FILE_BYTES_MAX = 4 * KIB;
/** Tries to take over the lock of a dead process while others try it too. */
export const LOCK_TRIES_MAX = 50;

/** Vendor addresses with a pool of their own. The least recently used is dropped. */
export const UPSTREAM_ORIGINS_MAX = 256;
/** Connections to one address: more than the streams of a busy process. The next call fails at once. */
export const UPSTREAM_CONNECTIONS_MAX = 16_384;
/** An idle connection to a vendor is closed after this, or earlier when the vendor's `keep-alive` says so. */
export const UPSTREAM_KEEP_ALIVE_MS = 30_000;
/** Header bytes of a vendor's answer, and of a proxy's. */
export const UPSTREAM_HEADER_BYTES_MAX = 64 * KIB;
/** Spellings of header names that are cached. */
export const UPSTREAM_HEADER_NAMES_MAX = 1_000;
/** The line with the size of a chunk and its extensions. */
export const UPSTREAM_CHUNK_LINE_BYTES_MAX = 4 * KIB;
/** Bytes of one read from a vendor. */
export const UPSTREAM_READ_BYTES = 64 * KIB;
/** Reads from one vendor in one turn of the event loop. Each may contain many events. */
export const UPSTREAM_READS_PER_TURN = 1;
/** Idle time after which TCP keep-alive probes a connection. */
export const UPSTREAM_PROBE_MS = 60_000;
/** Interval of the check of vendor connections, and so the precision of their timeouts. */
export const UPSTREAM_LOOK_MS = 100;
/** Interim answers (such as 103) before the real one. Each restarts the timeout of the head. */
export const UPSTREAM_INTERIM_MAX = 16;
/** A reused connection that dies this soon was already being closed: RTT and a margin. */
export const UPSTREAM_RESEND_MS = 1_000;
/** A larger request body is sent in pieces, which are released one by one. */
export const UPSTREAM_COPY_BYTES_MAX = 64 * KIB;
export const UPSTREAM_PIECE_BYTES = 256 * KIB;
/** Routes and credentials whose health is kept. Idle ones are dropped first. */
export const HEALTH_ENTRIES_MAX = 10_000;
/** A credential that the vendor refused (401, 403) is tried after all others for this long. */
export const CREDENTIAL_SUSPECT_MS = 60_000;
/** The wait after a 429 without a hint. */
export const COOL_DOWN_MS_DEFAULT = 1_000;
/** When every route cools down, the first is tried if it is free this soon. */
export const COOL_DOWN_MS_IGNORED = 1_000;
/** Bytes of a 429's body that are searched for Google's RetryInfo. */
export const RETRY_INFO_BYTES_MAX = 64 * KIB;
/** Bodies up to this size are read before the account's slots are checked. */
export const BODY_UNASKED_BYTES_MAX = 64 * KIB;
/** Change notices that wait for their follower. Beyond it everything is read again. */
export const CHANGES_PENDING_MAX = 10_000;
/** How long a command waits for running servers to confirm its change. */
export const CHANGE_ACKNOWLEDGE_MS = 2_000;
/** Characters of a JSON number. A longer one would block the scan. */
export const JSON_NUMBER_BYTES_MAX = 4096;
/** Answers of one call (`n`). No vendor gives more, and holds multiply by it. */
export const ANSWERS_PER_CALL_MAX = 128;
/** A call that is open for this many segments is written again, so that old segments can be deleted. */
export const JOURNAL_CARRY_SEGMENTS = 4;
/** How often a journal that could not write tries again. */
export const JOURNAL_RETRY_MS = 500;
/** Ended calls in the settler's memory. Of others only the place in the journal is kept. */
export const SETTLE_QUEUE_MAX = 20_000;
/** The wait between two tries of a settlement, from the first to the longest. */
export const SETTLE_RETRY_MS = 50;
export const SETTLE_RETRY_MS_MAX = 2_000;
/** Waiting calls that cost more than they held. One request to the gate contains all of them. */
export const SETTLE_POSTPONED_MAX = 200;
export const SETTLE_POSTPONED_LOOK_MS = 500;
/** After this wait they are settled with the available amount. It exceeds nearly every call. */
export const SETTLE_POSTPONED_MS_MAX = 900_000;
/** Parts of a multipart image call: sixteen images, a mask, two dozen options and a margin. */
export const MULTIPART_PARTS_MAX = 256;
/** Header bytes of a part, characters of its file name, and bytes searched at once for its end. */
export const MULTIPART_HEADER_BYTES_MAX = 16 * KIB;
export const FILE_NAME_CHARS_MAX = 200;
export const FORM_SLICE_BYTES = MIB;
/** The doctor reads whole tables: the timeout of its statements, and its findings of one kind. */
export const DOCTOR_TIMEOUT_MS = 600_000;
export const DOCTOR_FINDINGS_MAX = 100;
/** Calls the doctor recomputes at a time. */
export const DOCTOR_PAGE_ROWS = 5_000;
/** Ends of refused calls in memory while the disk is full. Others are not logged. */
export const JOURNAL_UNWRITTEN_MAX = 10_000;
/** Keys looked up in the store at once: at a millisecond each over ten connections, a tenth of a second. */
export const CALLER_LOADS_MAX = 1_000;
/** Fields in the loss report of one conversion. They must fit into a header and a log cell. */
export const DROPPED_FIELDS_MAX = 40;
/** Characters of one envelope. The longest thinking with its signature is far below. */
export const ENVELOPE_CHARS_MAX = 4 * MIB;
/** Signatures in one envelope: thinking blocks before a single tool call. */
export const ENVELOPE_SIGNATURES_MAX = 64;
/** Vendor models whose capabilities are cached. A catalogue has far fewer. */
export const CAPABILITIES_CACHED_MAX = 10_000;
/** Nodes of a tool's schema that are searched for recursion. A larger schema counts as recursive. */
export const SCHEMA_VISITS_MAX = 100_000;
/** Characters of a vendor tool's result as text for another vendor. */
export const SERVER_TOOL_TEXT_MAX = 100_000;
/** Waiting events of later blocks of a Messages stream. No vendor interleaves so far. */
export const WAITING_BLOCK_EVENTS_MAX = 10_000;
/** Stop sequences that the gateway finds itself, and the length of one. */
export const STOP_SEQUENCES_MAX = 64;
export const STOP_CHARS_MAX = 1_024;
/** Calls of a history whose lost signatures are looked up: an agent's longest chain of tools. */
export const SIGNATURES_WANTED_MAX = 256;
/** Characters of a custom tool's input, which is held until it is complete. */
export const HELD_CHARS_MAX = 16 * MIB;
/** Visible thinking in the envelope of a call, which grows by escapes and base64. */
export const THOUGHT_CHARS_MAX = ENVELOPE_CHARS_MAX / 8;
/** Tool calls of one streamed answer. No vendor makes more. */
export const CALLS_PER_ANSWER_MAX = 1_024;
/** Held events of later items of a Responses stream, and items in total. */
export const INTERLEAVED_EVENTS_MAX = 20_000;
/** One stored value of a conversation. A longer conversation is not stored. */
export const CONVERSATION_VALUE_BYTES_MAX = 8 * MIB;
/** Characters of the key of a stored value. Vendors' ids have some fifty. */
export const CONVERSATION_KEY_CHARS_MAX = 512;
/** Conversation values in memory, and those not yet in the store. The oldest are dropped. */
export const CONVERSATIONS_CACHED_MAX = 20_000;
export const CONVERSATIONS_CACHED_BYTES_MAX = 64 * MIB;
export const CONVERSATIONS_UNWRITTEN_MAX = 20_000;
export const CONVERSATIONS_UNWRITTEN_BYTES_MAX = 64 * MIB;
/** How long a value in memory is valid. Another node may have deleted it. */
export const CONVERSATION_CACHE_MS = 60_000;
/** Values of one statement, how long one waits for others, and the wait after a failure. */
export const CONVERSATION_BATCH_MAX = 64;
export const CONVERSATION_BATCH_BYTES_MAX = 16 * MIB;
export const CONVERSATION_WRITE_WAIT_MS = 50;
export const CONVERSATION_RETRY_MS = 1_000;
/** Look-ups at once: keys of one statement, statements, and all keys. Others are not found. */
export const CONVERSATION_READ_KEYS_MAX = 32;
export const CONVERSATION_READS_MAX = 4;
export const CONVERSATION_LOOKUPS_MAX = 20_000;
/** The timeout of a look-up. After it the value counts as absent for this call. */
export const CONVERSATION_FIND_MS = 2_000;
/** How long a stop waits for the last values to be written. */
export const CONVERSATION_STOP_MS = 5_000;
/** Upkeep: interval, values deleted in one statement, and statements of one round. */
export const CONVERSATION_UPKEEP_MS = 60_000;
export const CONVERSATION_PRUNE_ROWS = 1_000;
export const CONVERSATION_PRUNE_STEPS_MAX = 100;
/** Stored values of one account. The oldest are deleted first. */
export const CONVERSATIONS_PER_ACCOUNT_MAX = 50_000;
export const CONVERSATION_BYTES_PER_ACCOUNT_MAX = 512 * MIB;
/** Accounts in one step of the upkeep. The others follow in the next. */
export const CONVERSATION_TRIM_ACCOUNTS_MAX = 1_000;
/** Alternatives of a tool's schema that are merged into one object. */
export const SCHEMA_ALTERNATIVES_MAX = 256;
/** Items of earlier answers that one Responses request may refer to: a long conversation of an agent. */
export const REFERENCES_PER_CALL_MAX = 1_000;
/** Items of one answer that can be referenced later. */
export const ITEMS_KEPT_MAX = 128;
/** Files of one request that are inspected, and tools. Other files count as large pictures. */
export const MEDIA_PARTS_MAX = 2_000;
/** Decoded bytes of each file to find its size, and of all documents to count their pages. */
export const MEDIA_HEAD_BYTES = 72 * KIB;
export const MEDIA_LOOKED_BYTES_MAX = 4 * MIB;
/** For all PDFs of a request: object streams that are decoded, and their total size. */
export const PDF_STREAMS_MAX = 64;
export const PDF_INFLATED_BYTES_MAX = 2 * MIB;
/** Media fetched for a vendor that fetches none: one item, items of a call, all at once. */
export const MEDIA_BYTES_MAX = 20 * MIB;
export const MEDIA_ITEMS_MAX = 10;
export const MEDIA_FETCHES_MAX = 256;
/** The timeout from the name look-up to the last byte, with redirects. The client waits. */
export const MEDIA_TIMEOUT_MS = 10_000;
export const MEDIA_REDIRECTS_MAX = 3;
/** Characters of such an address. Signed ones have some two thousand. */
export const MEDIA_ADDRESS_CHARS_MAX = 8_192;
/** The look-up of a user's host name, and its addresses that are tried: large services have eight. */
export const DNS_MS = 6_000;
export const DNS_ADDRESSES_MAX = 16;
/** The total timeout of a vendor's token count. After it the gateway counts. */
export const COUNT_WAIT_MS = 10_000;
/** Bytes of such an answer: a figure and its parts, or an error. */
export const COUNT_ANSWER_BYTES_MAX = 64 * KIB;
/** Values of one call's arguments in fragments. No model makes so many. */
export const PARTIAL_ITEMS_MAX = 100_000;
/**
 * A request that is parsed as a whole: to convert it, remove foreign signatures, or complete it.
 * Each step takes one turn, and every value becomes several objects. A conversation of a million
 * tokens has some ten thousand values; an image in base64 is a single one.
 */
export const WHOLE_REQUEST_BYTES_MAX = 32 * MIB;
export const WHOLE_REQUEST_VALUES_MAX = 50_000;
/** Total media fetched for one call. In base64 it is as large as the largest request. */
export const MEDIA_CALL_BYTES_MAX = 24 * MIB;
/** Characters of a field's name in the loss report. Names come from clients. */
export const DROPPED_FIELD_CHARS_MAX = 200;
/** Bytes of a converted stream. Some protocols repeat the whole answer at its end. */
export const CONVERTED_STREAM_BYTES_MAX = 256 * MIB;
/** BYOK credentials of one account. Each is read and unsealed with every snapshot. */
export const BYOK_PER_ACCOUNT_MAX = 50;
/** Characters of an address of a BYOK credential. */
export const HOSTED_ADDRESS_CHARS_MAX = 2_048;
/** Subscriptions of one account that have not ended. Each is part of every snapshot. */
export const SUBSCRIPTIONS_PER_ACCOUNT_MAX = 50;
/** Days of one subscription: ten years. */
export const SUBSCRIPTION_DAYS_MAX = 3_660;
/** Characters of the reason that an operator gives for moving money. */
export const REASON_LENGTH_MAX = 200;
/** Pages of a list with an offset. Beyond them a search needs a filter. */
export const PAGE_NUMBER_MAX = 10_000;
/** Interval of the check of the embedded database, and the longest wait between restarts. */
export const EMBEDDED_LOOK_MS = 250;
export const EMBEDDED_REVIVE_MS_MAX = 5_000;
/** How long a new worker waits for the last one on its journal, which cuts and settles its calls. */
export const WORKER_LOCK_MS = 20_000;
/** Windows that the memory gate loads at its start, and ended ones deleted in one statement. */
export const WINDOWS_RESTORED_MAX = 1_000_000;
export const WINDOWS_PRUNED_ROWS = 1_000;
/** Upkeep of the store: interval, statements of one round, and wait for a lock on the logs. */
export const STORE_UPKEEP_MS = 600_000;
export const STORE_UPKEEP_STEPS_MAX = 1_000;
export const LOG_DROP_LOCK_MS = 2_000;
/** Rows of a model's hour, so that writers do not wait for each other. A reader sums them. */
export const ROLLUP_LANES = 16;
/** Heartbeats: interval, when a process counts as dead, and when its row is deleted. */
export const HEARTBEAT_MS = 5_000;
export const HEARTBEAT_LIVE_MS = 15_000;
export const HEARTBEAT_KEPT_HOURS = 168;
/** Times that one call reads its account again because the gate has a newer one. Then it is 50301. */
export const ACCOUNT_READS_MAX = 2;
/** The timeout of a worker's metrics. A slower worker is left out. */
export const WORKER_FIGURES_MS = 1_000;
/** First and longest wait before a dead worker is restarted; the lifetime that resets the wait. */
export const WORKER_RESTART_MS = 200;
export const WORKER_RESTART_MS_MAX = 5_000;
export const WORKER_WELL_MS = 10_000;
/** How long a worker may settle and close after the time of its calls. Then it is killed. */
export const WORKER_STOP_MS = 60_000;
/** Addresses of Redis as seeds. */
export const REDIS_SEEDS_MAX = 100;
/** A day is summed up this long after its end, when most of its calls are settled. */
export const DAYS_CLOSE_AFTER_MS = 3_600_000;
/** Accounts that one statement checks, and that one closes, with days of each. Their calls wait. */
export const DAYS_LOOK_ACCOUNTS = 1_000;
export const DAYS_CLOSE_ACCOUNTS = 20;
export const DAYS_CLOSE_DAYS = 7;
/** Cached texts that the journal's next record may repeat: of keys, and of names. */
export const REPEATED_TEXTS_MAX = 2_000;
/** Keys and model users that a process has written and cached. Others are written again. */
export const KEY_USE_REMEMBERED_MAX = 100_000;
export const MODEL_USERS_REMEMBERED_MAX = 100_000;
/** Bytes of log lines that wait for stdout in one process. Further lines are lost. */
export const LOG_PENDING_BYTES_MAX = 8 * MIB;
