/** How a vendor differs from OpenAI, whose Chat Completions it imitates. Left out: as OpenAI does it. */
export interface Quirks {
  /** The names of its models. It knows no others. */
  readonly models: readonly string[];
  /** Fields that it refuses; `developer_role`; `unknown_fields` for every field that it does not know. */
  readonly refuses?: readonly string[];
  /** `asked`: an event of its own; `always`: in the last event; `choice`: in the last choice as well. */
  readonly streamUsage?: 'asked' | 'always' | 'choice' | 'never';
  /** `none`: the connection ends without `[DONE]`. */
  readonly streamEnd?: 'done' | 'none';
  /** Where its thinking is shown. */
  readonly reasoning?: 'none' | 'reasoning_content' | 'reasoning' | 'think_tags';
  /** Comment lines before the first event. */
  readonly streamComments?: boolean;
}
