/**
 * Every limit over foreign data, in one place. A loop, queue, buffer, cache, retry or wait that is not
 * bounded here (or by a value of the configuration, whose default stands here) does not pass review.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Rule I-19: a request body of exactly this size passes, one byte more is 41301. */
export const REQUEST_BODY_BYTES_MAX = 100 * MIB;
/** Request bodies and buffered plain answers held by one process at a time; above it 50301. */
export const BODIES_IN_FLIGHT_BYTES_MAX = 1024 * MIB;
/** A body may not decode to more than this many times its encoded size (after the first 1 MiB). */
export const DECODE_RATIO_MAX = 100;
/** A plain (not streamed) upstream answer that we hold to find its usage. */
export const RESPONSE_BODY_BYTES_MAX = 256 * MIB;
/** An upstream error body that we keep in order to pass it through. */
export const ERROR_BODY_BYTES_MAX = 1 * MIB;
/** Of it, what is read to learn what kind of error it is. */
export const ERROR_READ_BYTES_MAX = 64 * KIB;
/** One event of a stream. `response.completed` repeats the whole output, images included. */
export const STREAM_EVENT_BYTES_MAX = 24 * MIB;
/** Raw bytes of a stream kept for a token estimate before they are counted and dropped. */
export const ESTIMATE_PENDING_BYTES_MAX = 256 * KIB;
/** Text handed to the tokenizer at once; longer text is sampled and scaled. */
export const TOKENIZE_BYTES_MAX = 64 * KIB;
/** Nesting depth of JSON that we are willing to walk. */
export const JSON_DEPTH_MAX = 200;
/** Times that a request may have a key we decide by, and bytes of any key beside such a one. */
export const METERED_KEYS_MAX = 8;
export const METERED_KEY_BYTES_MAX = 1_024;
/** What is scanned of a body in one turn: a slice full of tiny files takes longest. */
export const SCAN_TURN_BYTES = 256 * KIB;
/** Bodies above this size are not gone through once more, for a count or a guess that may be rough. */
export const READ_AGAIN_BYTES_MAX = MIB;
/** Characters of a model name. */
export const MODEL_NAME_LENGTH_MAX = 256;
/** A token count a vendor may report before we call it absurd and estimate instead. */
export const REPORTED_TOKENS_MAX = 100_000_000;
/** Images a single call may ask for and be charged for: as many as answers. */
export const IMAGES_PER_CALL_MAX = 128;
/** Rule L-5: a slot is removed when it is older than this. */
export const SLOT_LIFETIME_MS = 600_000;
/** A wait longer than this also carries `x-should-retry: false`: the SDKs would sleep it out in silence. */
export const RETRY_WAIT_MAX_SECONDS = 5;
/** Accounts the gate and the directory keep in memory. */
export const ACCOUNTS_CACHED_MAX = 100_000;
/** How long an unknown key is remembered as unknown, and how many of them. */
export const UNKNOWN_KEY_MS = 2_000;
export const UNKNOWN_KEYS_MAX = 10_000;
/** Routes tried for one call, whatever the catalogue holds. */
export const ATTEMPTS_MAX = 8;
/** Envoy's retry budget: this share of active calls, at least this many at once. */
export const RETRY_BUDGET_PERCENT = 20;
export const RETRY_BUDGET_MIN = 3;
/** Envoy's outlier detection: consecutive failures, base ejection, longest ejection. */
export const BREAKER_FAILURES = 5;
export const BREAKER_EJECT_MS = 30_000;
export const BREAKER_EJECT_MS_MAX = 300_000;
/** A vendor's Retry-After is obeyed up to this. */
export const COOL_DOWN_MS_MAX = 300_000;
/** The journal: bytes of a segment, and bytes in all segments before calls are refused with 50301. */
export const JOURNAL_SEGMENT_BYTES = 16 * MIB;
export const JOURNAL_BYTES_MAX = 1024 * MIB;
export const JOURNAL_RECORD_BYTES_MAX = 64 * KIB;
export const JOURNAL_SYNC_MS = 5;
/** Records that go to the operating system in one write; a busy turn has some dozens of about 1 KiB. */
export const JOURNAL_TURN_BYTES = 256 * KIB;
/** Calls settled in one transaction, and how long an ended call may wait for company. */
export const SETTLE_BATCH_MAX = 1_000;
export const SETTLE_WAIT_MS = 50;
/**
 * Who leaves when the end of the answer was seen: how long, and for how many bytes, the vendor is read on to
 * learn the usage. The last event of Responses repeats the whole answer, pictures included.
 */
export const USAGE_WAIT_MS = 2_000;
export const USAGE_WAIT_BYTES_MAX = 64 * MIB;
/**
 * Output tokens per second that are believed of a model: where nothing was measured, and at most. A stream
 * with fewer tokens is no measurement; one that is shorter than this counts less.
 */
export const OUTPUT_SPEED_DEFAULT = 100;
export const OUTPUT_SPEED_MAX = 3_000;
export const OUTPUT_SPEED_TOKENS_MIN = 16;
export const OUTPUT_SPEED_MS = 2_000;
/**
 * A pause of an answer is taken for reasoning from here on: where it is known that the model reasons in this
 * call, and where it only may. Shorter ones are those of a slow model, a network or a busy machine.
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
/** A migration may rewrite a table; a start that waits longer than this for one is stuck. */
export const MIGRATION_TIMEOUT_MS = 600_000;
/** A migration file; the largest of ours is a few KiB. */
export const MIGRATION_FILE_BYTES_MAX = 1 * MIB;
/** How long a connection to the database may take to be made. */
export const SQL_CONNECT_TIMEOUT_MS = 5_000;
/**
 * How long the driver waits beyond the server's own statement timeout before it calls the connection dead.
 */
export const SQL_SILENCE_MS = 2_000;
/** Waits of the notice listener between tries to come back; how often, and how fast, it proves it lives. */
export const LISTEN_RETRY_MS = 100;
export const LISTEN_RETRY_MS_MAX = 1_000;
export const LISTEN_PROBE_MS = 3_000;

/** Nodes of a catalogue file after aliases are followed: an alias bomb ends here. */
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
/** Characters of a password: NIST asks for 8 at least, and for a bound on what is hashed. */
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;
/**
 * Passwords hashed at once: 128 MiB and one thread of the pool each. Few wait: whoever does has one of the
 * platform's places (PLATFORM_ACTIVE_MAX), and guessers shall not have most of them.
 */
export const PASSWORD_HASHES_AT_ONCE = 2;
export const PASSWORD_HASHES_WAITING_MAX = 10;
/** Keys of one account, and characters of their names (rule S-11). */
export const KEYS_PER_ACCOUNT_MAX = 500;
export const NAME_LENGTH_MAX = 100;
/** Rule I-51: entries of one page. */
export const PAGE_SIZE_MAX = 100;
/** A vendor credential: the longest known ones are some 2,000 characters. */
export const SECRET_LENGTH_MAX = 4_096;
/** Secrets sealed again in one transaction after a rotation. */
export const SEAL_AGAIN_BATCH = 500;
/** Reads of a snapshot that a change overtakes before it is handed out without being kept. */
export const SNAPSHOT_RELOADS_MAX = 3;
/** Changes that one load in progress keeps apart. */
export const CHANGES_NOTED_MAX = 1_000;
/** A catalogue that could not be loaded is asked for again after this. */
export const CATALOG_RELOAD_MS = 1_000;
/** The embedded server: how long it may take to be ready (it may replay its log first), and to stop. */
export const EMBEDDED_START_MS = 120_000;
export const EMBEDDED_STOP_MS = 30_000;
/** Pages that the embedded server keeps in memory: an eighth of what the machine has, within these. */
export const EMBEDDED_CACHE_SHARE = 1 / 8;
export const EMBEDDED_CACHE_BYTES_MIN = 128 * MIB;
export const EMBEDDED_CACHE_BYTES_MAX = 1_024 * MIB;
/** What is kept of the embedded server's own log, and how much of it an error message quotes. */
export const EMBEDDED_LOG_BYTES_MAX = 8 * MIB;
export const EMBEDDED_LOG_TAIL_BYTES = 2 * KIB;
/** A lock file is one short line; a longer one is not ours. */
export const LOCK_FILE_BYTES_MAX = 4 * KIB;
/** Tries to take over the lock of a dead process while others try the same. */
export const LOCK_TRIES_MAX = 50;

/** Vendor addresses with a pool of their own; the one not used for longest makes room. */
export const UPSTREAM_ORIGINS_MAX = 256;
/** Envoy's circuit breaker: connections to one address. The next call fails at once, nothing queues. */
export const UPSTREAM_CONNECTIONS_MAX = 1_024;
/** An idle connection to a vendor is closed after this, or earlier when the vendor's `keep-alive` says so. */
export const UPSTREAM_KEEP_ALIVE_MS = 30_000;
/** Header bytes of a vendor's answer, and of a proxy's on the way to it. */
export const UPSTREAM_HEADER_BYTES_MAX = 64 * KIB;
/** Spellings of header names that are remembered. */
export const UPSTREAM_HEADER_NAMES_MAX = 1_000;
/** The size of a chunk and what a vendor may write behind it. */
export const UPSTREAM_CHUNK_LINE_BYTES_MAX = 4 * KIB;
/** What one read from a vendor brings at most. */
export const UPSTREAM_READ_BYTES = 64 * KIB;
/** Such reads from one vendor in one turn of the event loop: each may be many events. */
export const UPSTREAM_READS_PER_TURN = 1;
/** After so much silence the network is asked whether a connection still stands. */
export const UPSTREAM_PROBE_MS = 60_000;
/** How often connections to vendors are looked at: time limits are kept as exactly as this. */
export const UPSTREAM_LOOK_MS = 100;
/** Interim answers (103 and its like) before the real one; each of them restarts the head's time limit. */
export const UPSTREAM_INTERIM_MAX = 16;
/** A reused connection that dies this soon after the request was being closed already: RTT and a margin. */
export const UPSTREAM_RESEND_MS = 1_000;
/** A request body above this goes out in pieces that are let go one by one instead of in one copy. */
export const UPSTREAM_COPY_BYTES_MAX = 64 * KIB;
export const UPSTREAM_PIECE_BYTES = 256 * KIB;
/** Routes and credentials whose health is remembered; idle ones make room. */
export const HEALTH_ENTRIES_MAX = 10_000;
/** A credential that the vendor refused (401, 403) is tried after all others for this long. */
export const CREDENTIAL_SUSPECT_MS = 60_000;
/** A 429 without any hint when to come back. */
export const COOL_DOWN_MS_DEFAULT = 1_000;
/** When every route is cooling, the first is tried anyway if it is free this soon. */
export const COOL_DOWN_MS_IGNORED = 1_000;
/** The error body of a 429 in which Google's RetryInfo is looked for. */
export const RETRY_INFO_BYTES_MAX = 64 * KIB;
/** Bodies up to this size are read without looking first whether their account has a slot for them. */
export const BODY_UNASKED_BYTES_MAX = 64 * KIB;
/** Change notices waiting for their follower; above it they are dropped and everything is read anew. */
export const CHANGES_PENDING_MAX = 10_000;
/** How long a command waits for running servers to say that its change is in force. */
export const CHANGE_ACKNOWLEDGE_MS = 2_000;
/** Characters of one JSON number; a longer one would hold up the sliced scan and no vendor reads it. */
export const JSON_NUMBER_BYTES_MAX = 4096;
/** Answers a call may be held for at once (`n`); no vendor gives more, and holds multiply by it. */
export const ANSWERS_PER_CALL_MAX = 128;
/** A call still open after this many segments is written again, so that a long stream frees old segments. */
export const JOURNAL_CARRY_SEGMENTS = 4;
/** How often a journal that could not write looks whether it can again. */
export const JOURNAL_RETRY_MS = 500;
/** Ended calls the settler keeps in memory; of those beyond it only the place in the journal is kept. */
export const SETTLE_QUEUE_MAX = 20_000;
/** The wait between two tries of a settlement, from the first to the longest. */
export const SETTLE_RETRY_MS = 50;
export const SETTLE_RETRY_MS_MAX = 2_000;
/** Calls that cost more than they held and wait for others; one question to a gate names them all. */
export const SETTLE_POSTPONED_MAX = 200;
export const SETTLE_POSTPONED_LOOK_MS = 500;
/** Longer than nearly every call that could hold their money: then they are settled with what there is. */
export const SETTLE_POSTPONED_MS_MAX = 900_000;
/** Parts of a multipart image call: sixteen images, a mask and two dozen options leave room. */
export const MULTIPART_PARTS_MAX = 256;
/** Headers of one such part, characters of its file's name, and bytes searched in one go for its end. */
export const MULTIPART_HEADER_BYTES_MAX = 16 * KIB;
export const FILE_NAME_CHARS_MAX = 200;
export const FORM_SLICE_BYTES = MIB;
/** The doctor reads whole tables: its statements may take longer, and it names at most so many of a kind. */
export const DOCTOR_TIMEOUT_MS = 600_000;
export const DOCTOR_FINDINGS_MAX = 100;
/** Calls the doctor recomputes at a time. */
export const DOCTOR_PAGE_ROWS = 5_000;
/** Ends of refused calls kept in memory while the disk takes nothing; beyond it they are not logged. */
export const JOURNAL_UNWRITTEN_MAX = 10_000;
/** Keys looked up in the store at once: at a millisecond each over ten connections, a tenth of a second. */
export const CALLER_LOADS_MAX = 1_000;
/** Fields named in the loss report of one conversion; a header and a log cell must hold them. */
export const DROPPED_FIELDS_MAX = 40;
/** Characters of one envelope of blobs: the longest thinking with its signature stays far below. */
export const ENVELOPE_CHARS_MAX = 4 * MIB;
/** Blobs in one envelope: thinking blocks before a single tool call. */
export const ENVELOPE_BLOBS_MAX = 64;
/** Models of vendors whose capabilities are remembered; a catalogue names far fewer. */
export const CAPABILITIES_CACHED_MAX = 10_000;
/** Nodes of a tool's schema looked at in search of recursion; beyond it the schema counts as recursive. */
export const SCHEMA_VISITS_MAX = 100_000;
/** Characters of what a vendor's own tool found, when it is told to another vendor as text. */
export const SERVER_TOOL_TEXT_MAX = 100_000;
/** Events of later blocks of a Messages stream that wait for the open one; no vendor interleaves so far. */
export const WAITING_BLOCK_EVENTS_MAX = 10_000;
/** Stop sequences that the gateway looks for itself, and the length of one: every text is compared. */
export const STOP_SEQUENCES_MAX = 64;
export const STOP_CHARS_MAX = 1_024;
/** Calls of a history whose lost blobs are looked up: an agent's longest chain of tools. */
export const BLOBS_WANTED_MAX = 256;
/** Characters of a custom tool's input, held until they are whole. */
export const HELD_CHARS_MAX = 16 * MIB;
/** Visible thinking that rides on a call: the envelope must stay readable, with escapes and base64. */
export const THOUGHT_CHARS_MAX = ENVELOPE_CHARS_MAX / 8;
/** Tool calls of one streamed answer that are told apart; no vendor makes more, and each is remembered. */
export const CALLS_PER_ANSWER_MAX = 1_024;
/** Events held of later items while a Responses vendor still writes an earlier one, and items in all. */
export const INTERLEAVED_EVENTS_MAX = 20_000;
/** One value kept of a conversation. A longer conversation is not kept: its client must carry it itself. */
export const CONVERSATION_VALUE_BYTES_MAX = 8 * MIB;
/** Characters of the key of a kept value; ids of vendors have some fifty. */
export const CONVERSATION_KEY_CHARS_MAX = 512;
/** Values of conversations in memory, and those the store has not taken yet; beyond it the oldest go. */
export const CONVERSATIONS_CACHED_MAX = 20_000;
export const CONVERSATIONS_CACHED_BYTES_MAX = 64 * MIB;
export const CONVERSATIONS_UNWRITTEN_MAX = 20_000;
export const CONVERSATIONS_UNWRITTEN_BYTES_MAX = 64 * MIB;
/** How long a value in memory is trusted: another node may have deleted it meanwhile. */
export const CONVERSATION_CACHE_MS = 60_000;
/** Values written in one statement, how long one waits for company, and when a failed one is tried again. */
export const CONVERSATION_BATCH_MAX = 64;
export const CONVERSATION_BATCH_BYTES_MAX = 16 * MIB;
export const CONVERSATION_WRITE_WAIT_MS = 50;
export const CONVERSATION_RETRY_MS = 1_000;
/** Look-ups at once: keys of one statement, statements, and keys in all; what comes on top is not found. */
export const CONVERSATION_READ_KEYS_MAX = 32;
export const CONVERSATION_READS_MAX = 4;
export const CONVERSATION_LOOKUPS_MAX = 20_000;
/** A store that takes longer has forgotten, as far as this call is concerned. */
export const CONVERSATION_FIND_MS = 2_000;
/** What a stop waits for the last values to be written. */
export const CONVERSATION_STOP_MS = 5_000;
/** Upkeep: how often, values forgotten in one statement, and statements in one round. */
export const CONVERSATION_UPKEEP_MS = 60_000;
export const CONVERSATION_PRUNE_ROWS = 1_000;
export const CONVERSATION_PRUNE_STEPS_MAX = 100;
/** What one account may have kept: its oldest values go first. */
export const CONVERSATIONS_PER_ACCOUNT_MAX = 50_000;
export const CONVERSATION_BYTES_PER_ACCOUNT_MAX = 512 * MIB;
/** Accounts looked at in one step of the upkeep; the others follow in the next. */
export const CONVERSATION_TRIM_ACCOUNTS_MAX = 1_000;
/** Alternatives of a tool's schema that are merged into one object; a model would not tell more apart. */
export const SCHEMA_ALTERNATIVES_MAX = 256;
/** Items of earlier answers that one Responses request may refer to: a long conversation of an agent. */
export const REFERENCES_PER_CALL_MAX = 1_000;
/** Items of one answer that can be referred to later. */
export const ITEMS_KEPT_MAX = 128;
/** Files of one request that are looked at, and tools; files beyond count as large pictures. */
export const MEDIA_PARTS_MAX = 2_000;
/** What is decoded of each to find its size, and of all documents together to count their pages. */
export const MEDIA_HEAD_BYTES = 72 * KIB;
export const MEDIA_LOOKED_BYTES_MAX = 4 * MIB;
/** Of all PDFs of a request: streams of objects that are looked into, and what they may come to. */
export const PDF_STREAMS_MAX = 64;
export const PDF_INFLATED_BYTES_MAX = 2 * MIB;
/** Media fetched by its address for a vendor that fetches none: one item, items of a call, all at once. */
export const MEDIA_BYTES_MAX = 20 * MIB;
export const MEDIA_ITEMS_MAX = 10;
export const MEDIA_FETCHES_MAX = 256;
/** From the look-up of the name to the last byte, redirects included; the client waits meanwhile. */
export const MEDIA_TIMEOUT_MS = 10_000;
export const MEDIA_REDIRECTS_MAX = 3;
/** Characters of such an address: signed ones have some two thousand. */
export const MEDIA_ADDRESS_CHARS_MAX = 8_192;
/** The look-up of a name that a user chose, and its addresses that are tried: large services have eight. */
export const DNS_MS = 6_000;
export const DNS_ADDRESSES_MAX = 16;
/** What a vendor gets to count the tokens of a request, all in all; then we count ourselves. */
export const COUNT_WAIT_MS = 10_000;
/** A vendor's answer to such a question: a figure and its parts, or an error. */
export const COUNT_ANSWER_BYTES_MAX = 64 * KIB;
/** Values of one call's arguments that come in fragments: no model makes a call of this many. */
export const PARTIAL_ITEMS_MAX = 100_000;
/**
 * A request that must be understood whole: converted, rid of foreign blobs, or completed from what was kept.
 * Each step of that takes one turn, and every value becomes several objects. A conversation of a million
 * tokens has some ten thousand values; an image in base64 is a single one.
 */
export const WHOLE_REQUEST_BYTES_MAX = 32 * MIB;
export const WHOLE_REQUEST_VALUES_MAX = 50_000;
/** Media fetched for one call, all in all: in base64 it is as much as a whole request may be. */
export const MEDIA_CALL_BYTES_MAX = 24 * MIB;
/** Characters of one field's name in the loss report; names come from clients. */
export const DROPPED_FIELD_CHARS_MAX = 200;
/** A converted stream as its client gets it: some clients hear the whole answer again at its end. */
export const CONVERTED_STREAM_BYTES_MAX = 256 * MIB;
/** BYOK credentials of one account: each is read with every snapshot and unsealed. */
export const BYOK_PER_ACCOUNT_MAX = 50;
/** Characters of an address of a BYOK credential. */
export const HOSTED_ADDRESS_CHARS_MAX = 2_048;
/** Subscriptions of one account that have not ended: each is part of every snapshot. */
export const SUBSCRIPTIONS_PER_ACCOUNT_MAX = 50;
/** Days of one subscription: ten years. */
export const SUBSCRIPTION_DAYS_MAX = 3_660;
/** Characters of the reason that an operator gives for moving money. */
export const REASON_LENGTH_MAX = 200;
/** Pages of a list read by counting from its beginning; behind them a search has to be narrowed. */
export const PAGE_NUMBER_MAX = 10_000;
/** How often a server looks whether its embedded database lives, and the longest wait between revivals. */
export const EMBEDDED_LOOK_MS = 250;
export const EMBEDDED_REVIVE_MS_MAX = 5_000;
/** How long a new worker waits for the last one on its journal to end: it cuts its calls and settles them. */
export const WORKER_LOCK_MS = 20_000;
/** Windows that a gate of memory takes over at its start, and ended ones forgotten in one statement. */
export const WINDOWS_RESTORED_MAX = 1_000_000;
export const WINDOWS_PRUNED_ROWS = 1_000;
/** Upkeep of the store: how often, statements of one round, and how long it waits for a lock on the logs. */
export const STORE_UPKEEP_MS = 600_000;
export const STORE_UPKEEP_STEPS_MAX = 1_000;
export const LOG_DROP_LOCK_MS = 2_000;
/** Writers of one hour's row of a model that do not wait for each other; a reader sums as many rows. */
export const ROLLUP_LANES = 16;
/** How often a process says that it serves, when it is no longer believed to, and when it is forgotten. */
export const HEARTBEAT_MS = 5_000;
export const HEARTBEAT_LIVE_MS = 15_000;
export const HEARTBEAT_KEPT_HOURS = 168;
/** Times that one call reads its account anew because the gate knew of a newer one; then it is 50301. */
export const ACCOUNT_READS_MAX = 2;
/** What a worker gets to tell its figures; one that is silent for longer is left out. */
export const WORKER_FIGURES_MS = 1_000;
/** Waits before a dead worker is started again, the first and the longest; how long a good one lives. */
export const WORKER_RESTART_MS = 200;
export const WORKER_RESTART_MS_MAX = 5_000;
export const WORKER_WELL_MS = 10_000;
/** What a worker gets to settle and close when the time of its calls is up; then it is killed. */
export const WORKER_STOP_MS = 60_000;
/** Addresses of Redis given as seeds. */
export const REDIS_SEEDS_MAX = 100;
/** A day is added up from its hours this long after its end: most of its calls are settled by then. */
export const DAYS_CLOSE_AFTER_MS = 3_600_000;
/** Accounts looked at by one statement; those closed by one, and how many days of each: their calls wait. */
export const DAYS_LOOK_ACCOUNTS = 1_000;
export const DAYS_CLOSE_ACCOUNTS = 20;
export const DAYS_CLOSE_DAYS = 7;
/** Texts kept because the journal's next record repeats them: the last of so many keys, and so many names. */
export const REPEATED_TEXTS_MAX = 2_000;
/** Keys and users of models that a process remembers to have written; one that it forgot is written again. */
export const KEY_USE_REMEMBERED_MAX = 100_000;
export const MODEL_USERS_REMEMBERED_MAX = 100_000;
/** Lines of the log that wait while stdout takes none, in one process; what comes on top is lost. */
export const LOG_PENDING_BYTES_MAX = 8 * MIB;
