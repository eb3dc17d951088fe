import {
  type AnswerTurn,
  type Ask,
  type Attachment,
  isText,
  type Json,
  nativeOf,
  objectOf,
  offeredTools,
  type Part,
  sentAttachments,
  textOf,
  toolsOf,
  type UserTurn,
  wantedSchema,
} from '../lanes/conversation.ts';
import { type Answer, errorMessage, figure, record, records, text, type Wire } from './answer.ts';
import { geminiThinking } from './thinking.ts';

/** generateContent. The model stands in the address, and so does the wish for a stream. */
export const gemini: Wire = {
  path: (model, stream) =>
    `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  event: take,
  whole: take,
};

export function geminiBody({ model, settings, turns }: Ask): Json {
  const tools = offeredTools(settings);
  const schema = wantedSchema(settings);
  return {
    systemInstruction: settings.system === '' ? undefined : { parts: [{ text: settings.system }] },
    contents: turns.flatMap((turn) => (turn.role === 'user' ? [userContent(turn)] : answerContents(turn))),
    tools:
      tools.length === 0
        ? undefined
        : [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
    generationConfig: {
      maxOutputTokens: settings.maxOutput,
      temperature: settings.temperature,
      seed: settings.seed === '' ? undefined : Number(settings.seed),
      thinkingConfig: geminiThinking(model, settings.thinking),
      ...(schema === undefined ? {} : { responseMimeType: 'application/json', responseJsonSchema: schema }),
    },
  };
}

function userContent(turn: UserTurn): Json {
  return { role: 'user', parts: [{ text: turn.text }, ...sentAttachments(turn).map(filePart)] };
}

function filePart(file: Attachment): Json {
  return isText(file)
    ? { text: textOf(file) }
    : { inlineData: { mimeType: file.mediaType, data: file.data } };
}

function answerContents(turn: AnswerTurn): readonly Json[] {
  const parts = turn.parts.flatMap(answerPart);
  if (parts.length === 0) return [];
  const results = toolsOf(turn).map(({ id, name, answer = '' }) => ({
    functionResponse: { id: id || undefined, name, response: objectOf(answer) ?? { output: answer } },
  }));
  const said = { role: 'model', parts };
  return results.length === 0 ? [said] : [said, { role: 'user', parts: results }];
}

function answerPart(part: Part): readonly Json[] {
  if (part.kind === 'thinking') return [];
  if (part.kind === 'picture') {
    return part.data === '' ? [] : [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
  }
  const thoughtSignature = nativeOf(part, 'gemini');
  if (part.kind === 'text') return [{ text: part.text, thoughtSignature }];
  const args = objectOf(part.input) ?? {};
  return [{ functionCall: { id: part.id || undefined, name: part.name, args }, thoughtSignature }];
}

function take(body: Json, into: Answer): void {
  if (body.error !== undefined) into.problem = errorMessage(body);
  const [candidate = {}] = records(body.candidates);
  for (const part of records(record(candidate.content).parts)) takePart(part, into);
  const blocked = text(record(body.promptFeedback).blockReason);
  into.ended = text(candidate.finishReason) || blocked || into.ended;
  const given = record(body.usageMetadata);
  if (given.promptTokenCount === undefined) return;
  const thinking = figure(given.thoughtsTokenCount);
  into.usage = {
    input: figure(given.promptTokenCount),
    output: figure(given.candidatesTokenCount) + thinking,
    thinking,
  };
}

function takePart(part: Json, into: Answer): void {
  const signature = part.thoughtSignature;
  const native = signature === undefined ? undefined : ({ protocol: 'gemini', value: signature } as const);
  const picture = record(part.inlineData);
  const call = record(part.functionCall);
  if (typeof picture.data === 'string') into.picture(text(picture.mimeType), picture.data);
  else if (part.functionCall !== undefined) {
    const input = JSON.stringify(call.args ?? {});
    into.tool(part, { id: text(call.id), name: text(call.name), input, native });
  } else if (part.thought === true) into.thinking(text(part.text));
  else into.text(text(part.text), native);
}
