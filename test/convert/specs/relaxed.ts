import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import type { Json, Recording } from '../recorded/load.ts';
import { list, record } from '../recorded/told.ts';

/** A rule of a specification that its own vendor does not keep, and the recordings that prove it. */
export interface Relaxed {
  readonly protocol: TextProtocol;
  readonly schema: string;
  readonly property: string;
  /** What the rule forbids and the vendor does. */
  readonly may: 'be absent' | 'be null';
  /** The objects in a recording that the rule is about. */
  readonly among: (recording: Recording) => readonly Json[];
}

const answers = ({ answer }: Recording): readonly Json[] =>
  answer?.content === undefined && answer?.output === undefined ? [] : [answer];

const usages = (recording: Recording): readonly Json[] =>
  answers(recording).map(({ usage }) => record(usage));

const blocks =
  (type: string) =>
  (recording: Recording): readonly Json[] =>
    answers(recording).flatMap(({ content }) => list(content).filter((block) => block.type === type));

const deltas = ({ events }: Recording): readonly Json[] =>
  events.filter(({ type }) => type === 'message_delta');

const beginnings = ({ events }: Recording): readonly Json[] =>
  events.filter(({ type }) => type === 'response.created').map(({ response }) => record(response));

/** Of requests that the vendor accepted. */
const items = ({ request, status }: Recording): readonly Json[] =>
  status === 200 ? list(request?.input) : [];

const parts =
  (type: string) =>
  (recording: Recording): readonly Json[] =>
    items(recording).flatMap(({ content }) => list(content).filter((part) => part.type === type));

const spoken = (recording: Recording): readonly Json[] =>
  items(recording).filter(({ role, content }) => role === 'assistant' && Array.isArray(content));

const MESSAGES = { protocol: 'messages', may: 'be absent' } as const;
const RESPONSES = { protocol: 'responses', may: 'be absent' } as const;
const USAGE_EXTRAS = ['inference_geo', 'output_tokens_details', 'server_tool_use', 'service_tier'];

export const RELAXED: readonly Relaxed[] = [
  ...['stop_details', 'container'].flatMap((property): readonly Relaxed[] => [
    { ...MESSAGES, schema: 'Message', property, among: answers },
    {
      ...MESSAGES,
      schema: 'MessageDelta',
      property,
      among: (recording) => deltas(recording).map(({ delta }) => record(delta)),
    },
  ]),
  ...USAGE_EXTRAS.map((property) => ({ ...MESSAGES, schema: 'Usage', property, among: usages })),
  ...['output_tokens_details', 'server_tool_use'].map(
    (property): Relaxed => ({
      ...MESSAGES,
      schema: 'MessageDeltaUsage',
      property,
      among: (recording) => deltas(recording).map(({ usage }) => record(usage)),
    }),
  ),
  { ...MESSAGES, schema: 'ResponseTextBlock', property: 'citations', among: blocks('text') },
  { ...MESSAGES, schema: 'ResponseToolUseBlock', property: 'caller', among: blocks('tool_use') },
  {
    protocol: 'responses',
    schema: 'ModelResponseProperties',
    property: 'user',
    may: 'be null',
    among: answers,
  },
  { protocol: 'responses', schema: 'Response', property: 'usage', may: 'be null', among: beginnings },
  { ...RESPONSES, schema: 'InputImageContent', property: 'detail', among: parts('input_image') },
  { ...RESPONSES, schema: 'OutputMessage', property: 'id', among: spoken },
  { ...RESPONSES, schema: 'OutputMessage', property: 'status', among: spoken },
  { ...RESPONSES, schema: 'OutputTextContent', property: 'annotations', among: parts('output_text') },
  { ...RESPONSES, schema: 'OutputTextContent', property: 'logprobs', among: parts('output_text') },
];
