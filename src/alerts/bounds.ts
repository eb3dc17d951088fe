/** Limits of alerts and mails, each with its reason. */

/** Channels of one account, and of the operators. */
export const CHANNELS_PER_OWNER_MAX = 20;
/** Characters of the address of a webhook. */
export const WEBHOOK_ADDRESS_CHARS_MAX = 2_048;
/** Messages that one process sends at a time, and takes from the outbox at once. */
export const DELIVERIES_AT_ONCE = 8;
/** Rounds of one call of the outbox. What is left waits for the next. */
export const DELIVERY_ROUNDS_MAX = 100;
/** How often the outbox is looked at. A new message is also announced. */
export const OUTBOX_MS = 10_000;
/** Time for one message, from the connection to the answer. */
export const WEBHOOK_WAIT_MS = 10_000;
export const MAIL_WAIT_MS = 30_000;
/** A message that a node took is taken by another after this time: longer than any attempt. */
export const DELIVERY_CLAIM_MS = 120_000;
/** Bytes of an answer that are read. Nothing is done with them. */
export const WEBHOOK_ANSWER_BYTES_MAX = 64 * 1024;
/** Attempts, the first wait between two, and the longest. Together they take about a day. */
export const DELIVERY_ATTEMPTS_MAX = 10;
export const DELIVERY_WAIT_MS = 30_000;
export const DELIVERY_WAIT_MS_MAX = 6 * 3_600_000;
/** An older message is not sent any more, for example after a restore. */
export const MESSAGE_AGE_MS_MAX = 3 * 86_400_000;
/** Sent messages are deleted after this time, those that could not be sent later. */
export const SENT_KEPT_MS = 7 * 86_400_000;
export const DEAD_KEPT_MS = 30 * 86_400_000;
/** Messages that one statement deletes. */
export const OUTBOX_PRUNED_ROWS = 1_000;
/** Characters kept of a reason why a message could not be sent. */
export const DELIVERY_ERROR_CHARS_MAX = 300;
/** Tests of the channels of one owner within a minute. */
export const CHANNEL_TESTS_PER_MINUTE = 5;
/** How often conditions are looked at, by one node. */
export const CONDITIONS_MS = 60_000;
/** How often the ledger is checked for an alert, and the time for it. */
export const DOCTOR_EVERY_MS = 86_400_000;
export const DOCTOR_TIME_MS = 600_000;
/** Conditions of one kind. With more of them none is cleared in this round. */
export const CONDITIONS_MAX = 10_000;
/** A condition that goes on is told again after this time. */
export const TOLD_AGAIN_MS = 86_400_000;
