/**
 * Limits of the platform and its logins. src/bounds.ts has those of the gateway. Every number that bounds
 * foreign data, work or time is here, with its reason.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

/** Ids in the query of one request: a page of them. */
export const IDS_PER_REQUEST_MAX = 100;
/** Bytes of a request body. The longest, a public list of prices, has two megabytes. */
export const PLATFORM_BODY_BYTES_MAX = 3 * MIB;
/** The same without a login. The longest, a feedback, has a few kilobytes. */
export const PLATFORM_STRANGER_BODY_BYTES_MAX = 64 * KIB;
/** Bytes of request bodies in memory at a time, and nesting of their JSON, deeper than any schema. */
export const PLATFORM_BODIES_BYTES_MAX = 64 * MIB;
export const PLATFORM_JSON_DEPTH_MAX = 32;
/** A body may be slow for this long. After that, every interval must bring this many bytes. */
export const PLATFORM_BODY_SLOW_AFTER_MS = 10_000;
export const PLATFORM_BODY_RATE_INTERVAL_MS = 5_000;
export const PLATFORM_BODY_RATE_BYTES_MIN = 64 * KIB;
/**
 * Requests in progress at a time, in total and per account or address; requests that wait for a slot, and how
 * long they wait.
 */
export const PLATFORM_ACTIVE_MAX = 32;
export const PLATFORM_ACTIVE_OF_ONE_MAX = 16;
export const PLATFORM_WAITING_MAX = 1_000;
export const PLATFORM_WAIT_MS = 5_000;
/** Time for one request. Its statements have shorter limits. */
export const PLATFORM_TIMEOUT_MS = 15_000;
/** Exports at a time, in total and per account, and how long a client may read nothing of one. */
export const PLATFORM_EXPORTS_MAX = 4;
export const PLATFORM_EXPORTS_OF_ONE_MAX = 2;
export const PLATFORM_EXPORT_STALL_MS = 30_000;
/** Streams of events at a time, in total and per account; and what one may hold that is not read yet. */
export const LIVE_STREAMS_MAX = 500;
export const LIVE_STREAMS_OF_ONE_MAX = 8;
export const LIVE_UNREAD_BYTES_MAX = 512 * KIB;
/** A comment in this interval shows that a stream is alive; a client waits this long before it comes back. */
export const LIVE_HEARTBEAT_MS = 15_000;
export const LIVE_RETRY_MS = 2_000;
/** How often new calls, accounts with their limits, and logins are looked at while somebody listens. */
export const LIVE_CALLS_MS = 1_000;
export const LIVE_ACCOUNTS_MS = 2_000;
export const LIVE_SESSIONS_MS = 5_000;
/** Accounts whose limits one look reads. With more listeners each account has its turn. */
export const LIVE_ACCOUNTS_AT_ONCE = 20;
/** Calls that one look or one resumption sends. With more the reader is told to read the page again. */
export const LIVE_CALLS_AT_ONCE = 500;
/** Numbers of calls may be committed out of order within this time, and within so many calls. */
export const LIVE_OVERLAP_MS = 15_000;
export const LIVE_OVERLAP_CALLS = 2_000;
export const LIVE_KNOWN_MAX = 20_000;
/** A stream is resumed after a break of this length, by a token with so many calls and characters. */
export const LIVE_RESUME_MS = 600_000;
export const LIVE_TOKEN_CALLS_MAX = 64;
export const LIVE_TOKEN_CHARS_MAX = 1_000;
/** The newest calls of an account in which the last use of its BYOK credentials is looked for. */
export const RECENT_CALLS_MAX = 500;
/** Proxies in the `X-Forwarded-For` of one request. Beyond them the address counts as unknown. */
export const FORWARDED_HOPS_MAX = 32;
/** Characters of a login token or a cookie header that are read. */
export const TOKEN_CHARS_MAX = 4_096;
/** Characters of a foreign name that a message repeats. */
export const SHOWN_NAME_CHARS_MAX = 60;

/** Rule A-1: lifetime of an access token, of a refresh token since its last use, and of a console login. */
export const ACCESS_TOKEN_MS = 1_800_000;
export const REFRESH_TOKEN_MS = 2_592_000_000;
export const COOKIE_SESSION_MS = 604_800_000;
/** Lifetime of a key of the playground. */
export const PLAYGROUND_KEY_MS = 3_600_000;
/** The accuracy of the last use of a session. */
export const SESSION_USE_MS = 60_000;
/** Lifetime of the cookie that lets a known browser log in while strangers guess: half a year. */
export const DEVICE_COOKIE_MS = 15_552_000_000;
/** Sessions and known addresses of one account. The oldest are removed. */
export const SESSIONS_PER_ACCOUNT_MAX = 100;
export const LOGIN_ADDRESSES_PER_ACCOUNT_MAX = 50;
/** Ended sessions and expired failures that one statement deletes. */
export const SESSIONS_PRUNED_ROWS = 1_000;
/** Rule A-7: failures within this time count together. */
export const LOGIN_FAILURES_MS = 900_000;
/**
 * Login attempts in progress in one process, as many as passwords are hashed at a time; and attempts that
 * wait, from known addresses and from all others. Together they leave slots for the rest of the platform.
 */
export const LOGINS_AT_ONCE = 2;
export const LOGINS_WAITING_MAX = 8;
/** The wait for a client when too many passwords are being checked. */
export const LOGIN_BUSY_MS = 5_000;
/** Lifetime of the setup token of the first operator. */
export const SETUP_TOKEN_MS = 86_400_000;
/** Lifetime of a mailed link: for a new password, and to confirm an address. */
export const RESET_TOKEN_MS = 3_600_000;
export const VERIFY_TOKEN_MS = 86_400_000;
/** Every request for a link is answered after this time, so that its work cannot be told from the answer. */
export const RESET_ANSWER_MS = 300;
/** Characters stored of a user agent, and cookies read of one request. */
export const USER_AGENT_LENGTH_MAX = 200;
export const COOKIES_MAX = 50;
/** Rows that one statement of an export reads. A piece is written before the next is read. */
export const EXPORT_ROWS_AT_ONCE = 1_000;
/** An export covers at most a year. Longer histories need several exports. */
export const EXPORT_DAYS_MAX = 366;
/** Pages of the logs are found without a scan, so only arithmetic bounds their number. */
export const LOG_PAGE_NUMBER_MAX = 1_000_000_000;
/** Models of one filter. */
export const FILTER_MODELS_MAX = 20;
/** A search over the calls of all accounts: time for one page, and days that one statement covers. */
export const SEARCH_MS_MAX = 3_000;
export const SEARCH_DAYS_MAX = 32;
/** Points of a trend: three hours of minutes, read from the log; a month of hours; a year of days. */
export const TREND_MINUTES_MAX = 180;
export const TREND_HOURS_MAX = 744;
export const TREND_DAYS_MAX = 366;
/** Models or keys of a statistic. Clients may send any model name, and each one that failed has a row. */
export const STATS_GROUPS_MAX = 200;
/** Keys of an account whose limits one answer has. Others are available by their id. */
export const LIMITED_KEYS_MAX = 100;
/** Groups of a statistic over time, as many as a chart has colours. All others are one group. */
export const SERIES_GROUPS_MAX = 20;
/** Models of a ranking, before the hidden ones are left out. */
export const RANKED_MODELS_MAX = 1_000;
/** How long a ranking is cached. It is public, and computing it is expensive. */
export const RANKING_LIFE_MS = 30_000;
/** Rule I-65: one feedback per 60 seconds per IP; and senders deleted with each. */
export const FEEDBACK_WAIT_MS = 60_000;
export const FEEDBACK_SENDERS_SWEPT = 100;
/** Rule I-65: characters of a feedback, and of its contact: an address or a telephone number. */
export const FEEDBACK_LENGTH_MAX = 2_000;
export const CONTACT_LENGTH_MAX = 200;
/** Characters of a client's address in the audit log: the longest IPv6 form with a zone. */
export const ADDRESS_CHARS_MAX = 64;
/** Days of one request for the usage of BYOK credentials. */
export const CREDENTIAL_STATS_DAYS_MAX = 366;
/** A test of a vendor credential: its time, bytes read, characters shown, and tests at a time. */
export const PROBE_WAIT_MS = 10_000;
export const PROBE_ANSWER_BYTES_MAX = 64 * KIB;
/** The list of a vendor's models: the longest of them has some hundred kilobytes and as many models. */
export const VENDOR_MODELS_BYTES_MAX = 4 * MIB;
export const VENDOR_MODELS_MAX = 2_000;
/** The same for a test that makes an image. It stays below the time of a request. */
export const PROBE_IMAGE_WAIT_MS = 13_000;
export const PROBE_IMAGE_BYTES_MAX = 16 * MIB;
export const PROBE_MESSAGE_CHARS_MAX = 300;
export const PROBES_AT_ONCE = 16;
/** Two texts of an entry are compared up to this product of lines; equal lines shown around a change. */
export const DIFF_CELLS_MAX = 250_000;
export const DIFF_CONTEXT_LINES = 3;
/** Past calls priced with another catalogue: calls, rows of a statement, time, and days of the period. */
export const WHAT_IF_CALLS_MAX = 200_000;
export const WHAT_IF_PAGE_ROWS = 1_000;
export const WHAT_IF_MS_MAX = 8_000;
export const PERIOD_DAYS_MAX = 366;
/** Models of a file of prices that are told though the catalogue has not got them. */
export const UNKNOWN_MODELS_MAX = 200;
/** Accounts in the answer of a correction of charges, those with most first. */
export const REPRICE_ACCOUNTS_SHOWN = 1_000;
/** Wrong charges in memory before they are corrected, and those of one transaction. */
export const REPRICE_CALLS_HELD = 50_000;
export const REPRICE_BATCH_CALLS = 5_000;
/** Percentiles of the first token: parts of a period that are read, and calls of each. */
export const TTFT_SAMPLE_SLICES = 360;
export const TTFT_SAMPLE_CALLS = 40;
/** Calls of the last hour that are counted by route. */
export const ROUTE_TRAFFIC_CALLS_MAX = 100_000;
/**
 * The doctor of a server: time for all checks, how long a request waits for them, and how long they are not
 * repeated; at least this many times as long as they took.
 */
export const DOCTOR_MS_MAX = 120_000;
export const DOCTOR_WAIT_MS = 5_000;
export const DOCTOR_LIFE_MS = 60_000;
export const DOCTOR_REST = 20;
