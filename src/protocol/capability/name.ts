/** Regions and makers that resellers put before a name, with a dot. */
const RESELLER =
  /^(?:[a-z-]{1,16}\.)?(?:anthropic|openai|google|moonshotai|moonshot|qwen|minimax|zai|mistral)\./;
/** A suffix for the date or packaging of a model. It does not affect what the model can do. */
const EDITION = /(?:-(?:latest|v\d{1,2}|\d{8}|\d{4}-\d\d-\d\d))+$/;
/** `claude-3-5-sonnet`: the form of Claude's names before the fourth generation. */
const VERSION_FIRST = /^claude-(\d{1,2}(?:-\d{1,2})?)-(instant|[a-z]{4,10})/;

/**
 * A vendor's model name without what differs between resellers: folders, maker, region, date and variant.
 * `us.anthropic.claude-opus-4-5-20251101-v1:0`, `anthropic/claude-opus-4.5` and `claude-opus-4-5@20251101`
 * are all `claude-opus-4-5`.
 */
export function plainModelName(vendorModel: string): string {
  const lower = vendorModel.toLowerCase();
  const [name = ''] = lower
    .slice(lower.lastIndexOf('/') + 1)
    // Fine-tuned: `ft:gpt-4o-mini:team::id` has the capabilities of its base model.
    .replace(/^ft:/, '')
    .split(/[:@]/, 1);
  const plain = name.replace(RESELLER, '').replace(EDITION, '');
  return plain.startsWith('claude')
    ? plain.replaceAll('.', '-').replace(VERSION_FIRST, 'claude-$2-$1')
    : plain;
}
