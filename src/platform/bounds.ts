/**
 * Limits of the platform and its logins, as src/bounds.ts has those of the gateway: every number that bounds
 * foreign data, work or time, with its reason.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

/** Ids that one request names in its query: a page of them. */
export const IDS_PER_REQUEST_MAX = 100;
/** A body of the platform: the longest, an operator's catalogue, has some hundred kilobytes. */
export const PLATFORM_BODY_BYTES_MAX = 1 * MIB;
/** The same of somebody who is not logged in: his longest, a feedback, has a few kilobytes. */
export const PLATFORM_STRANGER_BODY_BYTES_MAX = 64 * KIB;
/** Bodies of the platform in memory at a time, and nesting of their JSON: no schema of ours goes deeper. */
export const PLATFORM_BODIES_BYTES_MAX = 64 * MIB;
export const PLATFORM_JSON_DEPTH_MAX = 32;
/** A body of the platform may be slow for so long; then every interval brings so much, or it ends. */
export const PLATFORM_BODY_SLOW_AFTER_MS = 10_000;
export const PLATFORM_BODY_RATE_INTERVAL_MS = 5_000;
export const PLATFORM_BODY_RATE_BYTES_MIN = 64 * KIB;
/**
 * Requests that the platform works on at a time, all and of one account or address, those that wait for a
 * place, and how long they do.
 */
export const PLATFORM_ACTIVE_MAX = 32;
export const PLATFORM_ACTIVE_OF_ONE_MAX = 16;
export const PLATFORM_WAITING_MAX = 1_000;
export const PLATFORM_WAIT_MS = 5_000;
/** What one request of the platform may take. Its statements have shorter limits of their own. */
export const PLATFORM_TIMEOUT_MS = 15_000;
/** Exports written at a time, all and of one account, and how long a client may read nothing of one. */
export const PLATFORM_EXPORTS_MAX = 4;
export const PLATFORM_EXPORTS_OF_ONE_MAX = 2;
export const PLATFORM_EXPORT_STALL_MS = 30_000;
/** Proxies that one request may have passed; beyond them the address is as good as unknown. */
export const FORWARDED_HOPS_MAX = 32;
/** Characters of a login token or a cookie header that are looked at. */
export const TOKEN_CHARS_MAX = 4_096;
/** Characters of a foreign name that a message of the platform repeats. */
export const SHOWN_NAME_CHARS_MAX = 60;

/** Rule A-1: an access token, a refresh token since its last use, and a login of the console. */
export const ACCESS_TOKEN_MS = 1_800_000;
export const REFRESH_TOKEN_MS = 2_592_000_000;
export const COOKIE_SESSION_MS = 604_800_000;
/** How exactly the last use of a session is known. */
export const SESSION_USE_MS = 60_000;
/** The cookie that lets its browser's owner in while strangers guess: half a year. */
export const DEVICE_COOKIE_MS = 15_552_000_000;
/** Sessions and known addresses of one account; the oldest give way. */
export const SESSIONS_PER_ACCOUNT_MAX = 100;
export const LOGIN_ADDRESSES_PER_ACCOUNT_MAX = 50;
/** Ended sessions and forgotten failures that are deleted in one statement. */
export const SESSIONS_PRUNED_ROWS = 1_000;
/** Rule A-7: failures within this time count together. */
export const LOGIN_FAILURES_MS = 900_000;
/**
 * Attempts that one process works on at once, as many as passwords are hashed; and how many wait, of those
 * who come from where they came from before and of all others. Together they leave the platform places.
 */
export const LOGINS_AT_ONCE = 2;
export const LOGINS_WAITING_MAX = 8;
/** What a client is told to wait when passwords or counts are being worked on by too many. */
export const LOGIN_BUSY_MS = 5_000;
/** How long the first operator's setup token is good for. */
export const SETUP_TOKEN_MS = 86_400_000;
/** Characters kept of a client's name, and cookies read of one request. */
export const USER_AGENT_LENGTH_MAX = 200;
export const COOKIES_MAX = 50;
/** Rows that one statement of an export reads; a piece is written to the client before the next is read. */
export const EXPORT_ROWS_AT_ONCE = 1_000;
/** An export covers a year at most; longer histories are several exports. */
export const EXPORT_DAYS_MAX = 366;
/** Pages of the logs are found without walking, so only arithmetic bounds their number. */
export const LOG_PAGE_NUMBER_MAX = 1_000_000_000;
/** A search over the calls of everybody: how long one page looks, and how many days one statement does. */
export const SEARCH_MS_MAX = 3_000;
export const SEARCH_DAYS_MAX = 32;
/** Points of a trend: a month of hours, or a year of days. */
export const TREND_HOURS_MAX = 744;
export const TREND_DAYS_MAX = 366;
/** Models or keys of a statistic: clients make up names of models, and each that failed has a row. */
export const STATS_GROUPS_MAX = 200;
/** Keys of an account whose limits one answer tells; those of any other are told by its id. */
export const LIMITED_KEYS_MAX = 100;
/** Groups of a statistic over time; a chart has no more colours, and all others are told together. */
export const SERIES_GROUPS_MAX = 20;
/** Models of a ranking, before the hidden ones are left out. */
export const RANKED_MODELS_MAX = 1_000;
/** How long a ranking is told again before it is added up anew: anybody may ask for it. */
export const RANKING_LIFE_MS = 30_000;
/** Rule I-65: one feedback per 60 seconds per IP; senders forgotten at each. */
export const FEEDBACK_WAIT_MS = 60_000;
export const FEEDBACK_SENDERS_SWEPT = 100;
/** Rule I-65: characters of a feedback; an address or a telephone number fits its contact. */
export const FEEDBACK_LENGTH_MAX = 2_000;
export const CONTACT_LENGTH_MAX = 200;
/** Characters of a client's address in the audit log: the longest IPv6 form with a zone. */
export const ADDRESS_CHARS_MAX = 64;
/** Days of one look at what BYOK credentials were used for. */
export const CREDENTIAL_STATS_DAYS_MAX = 366;
/** A test of a vendor credential: all of it, what is read of the answer, told of it, and run at once. */
export const PROBE_WAIT_MS = 10_000;
export const PROBE_ANSWER_BYTES_MAX = 64 * KIB;
export const PROBE_MESSAGE_CHARS_MAX = 300;
export const PROBES_AT_ONCE = 16;
