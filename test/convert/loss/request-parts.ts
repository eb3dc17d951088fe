import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import {
  type Body,
  before,
  CACHED,
  chatTools,
  EFFORT,
  FORCED,
  NO_PARALLEL,
  option,
  PARAMETERS,
  PNG,
  part,
  type RequestPart,
  SCHEMA,
  SEARCH,
  STRICT,
} from './request-part.ts';

const CHAT: readonly RequestPart[] = [
  option('temperature', 0.4217),
  option('top_p', 0.4218),
  option('top_k', 4219),
  option('frequency_penalty', 0.4221),
  option('presence_penalty', 0.4222),
  option('seed', 4223),
  { ...option('stop', ['mark-stop'], /mark-stop/), ours: ['responses', 'chat'] },
  option('max_completion_tokens', 4224),
  option('logit_bias', { 4225: 1 }),
  option('user', 'mark-user'),
  option('safety_identifier', 'mark-safety'),
  option('prompt_cache_key', 'mark-key'),
  option('metadata', { mark: 'mark-meta' }, /mark-meta/),
  option('service_tier', 'flex', /"service_tier":"flex"/),
  option('verbosity', 'low', /"verbosity":"low"/),
  option('reasoning_effort', 'high', EFFORT),
  option('prediction', { type: 'content', content: 'mark-prediction' }, /mark-prediction/),
  option('store', true, /"store":true/),
  option('web_search_options', { search_context_size: 'low' }, SEARCH),
  option('mark_unknown', 1),
  part('logprobs', /"top_logprobs":3|"logprobs":3/, 'logprobs', (body) => {
    Object.assign(body, { logprobs: true, top_logprobs: 3 });
  }),
  part('format', /markFormat/, 'response_format', (body) => {
    body.response_format = { type: 'json_schema', json_schema: { schema: SCHEMA, strict: false } };
  }),
  part('a format with a name and words', /mark-words/, 'response_format', (body) => {
    const json_schema = { name: 'n', description: 'mark-words', schema: SCHEMA };
    body.response_format = { type: 'json_schema', json_schema };
  }),
  part('one call at a time', NO_PARALLEL, 'parallel_tool_calls', (body) => {
    chatTools(body);
    body.parallel_tool_calls = false;
  }),
  part('a forced tool', FORCED, 'tool_choice', (body) => {
    chatTools(body);
    body.tool_choice = 'required';
  }),
  part('a strict tool', STRICT, 'tools', (body) => {
    chatTools(body).strict = true;
  }),
  part('a tool with an option of nobody', /mark-option/, 'tools[0].function.x', (body) => {
    chatTools(body).x = 'mark-option';
  }),
  part('a vendor tool', /mark-byok/, 'tools[1]', (body) => {
    chatTools(body);
    body.tools.push({ type: 'mark-byok' });
  }),
  part('a name of a speaker', /mark-name/, 'messages[', (body) => {
    body.messages.at(-1).name = 'mark-name';
  }),
  part('detail', /"detail":"low"/, 'image_url.detail', (body) => {
    const image_url = { url: `data:image/png;base64,${PNG}`, detail: 'low' };
    body.messages.at(-1).content.push({ type: 'image_url', image_url });
  }),
  part('a part with an option of nobody', /mark-part/, 'messages[', (body) => {
    body.messages.at(-1).content.push({ type: 'text', text: 'x', y: 'mark-part' });
  }),
  part('a mark for the cache', CACHED, 'prompt_cache_breakpoint', (body) => {
    body.messages
      .at(-1)
      .content.push({ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } });
  }),
  part('a file with a name', /mark-file/, 'file.filename', (body) => {
    const file = { filename: 'mark-file.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' };
    body.messages.at(-1).content.push({ type: 'file', file });
  }),
  part('sound', /AAECAwQF/, 'input_audio', (body) => {
    const input_audio = { data: 'AAECAwQF', format: 'wav' };
    body.messages.at(-1).content.push({ type: 'input_audio', input_audio });
  }),
  part('a word of the system in between', /mark-between/, 'messages', (body) => {
    before(body.messages, { role: 'assistant', content: 'ok' }, { role: 'system', content: 'mark-between' });
  }),
  part('citations', /mark\.example/, 'messages[].annotations', (body) => {
    const url_citation = { url: 'https://mark.example', title: 't', start_index: 0, end_index: 2 };
    const annotations = [{ type: 'url_citation', url_citation }];
    before(body.messages, { role: 'assistant', content: 'ok', annotations });
  }),
  part('thinking', /mark-thought/, 'messages[].reasoning_content', (body) => {
    before(body.messages, { role: 'assistant', content: 'ok', reasoning_content: 'mark-thought' });
  }),
  part('a picture that was made', new RegExp(PNG), 'messages', (body) => {
    const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }];
    before(body.messages, { role: 'assistant', content: 'ok', images });
  }),
  part('a refusal', /mark-refusal/, 'messages', (body) => {
    before(body.messages, { role: 'assistant', content: null, refusal: 'mark-refusal' });
  }),
  part('two tools of one name', /mark-second/, 'tools', (body) => {
    chatTools(body);
    body.tools.push({ type: 'function', function: { name: 'look', description: 'mark-second' } });
  }),
];

const input = (body: Body): Body[] => body.input.at(-1).content;
const RESPONSES: readonly RequestPart[] = [
  option('temperature', 0.4217),
  option('top_p', 0.4218),
  option('max_output_tokens', 4224),
  option('max_output_tokens', 5, /"max_[a-zA-Z_]*":5\b|"maxOutputTokens":5\b/),
  option('user', 'mark-user'),
  option('safety_identifier', 'mark-safety'),
  option('prompt_cache_key', 'mark-key'),
  option('metadata', { mark: 'mark-meta' }, /mark-meta/),
  option('service_tier', 'flex', /"service_tier":"flex"/),
  option('top_logprobs', 3, /"top_logprobs":3|"logprobs":3/),
  option('include', ['file_search_call.results'], /file_search_call/),
  option('truncation', 'auto', /"truncation":"auto"/),
  option('max_tool_calls', 4226),
  option('mark_unknown', 1),
  part('effort', EFFORT, 'reasoning', (body) => {
    body.reasoning = { effort: 'high' };
  }),
  part('a format with words', /mark-words/, 'text.format', (body) => {
    body.text = {
      ...body.text,
      format: { type: 'json_schema', name: 'n', description: 'mark-words', schema: SCHEMA },
    };
  }),
  part('verbosity', /"verbosity":"low"/, 'text.verbosity', (body) => {
    body.text = { ...body.text, verbosity: 'low' };
  }),
  part('search', SEARCH, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { type: 'web_search' }];
  }),
  part('a vendor tool', /mark-store/, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { type: 'file_search', vector_store_ids: ['mark-store'] }];
  }),
  part('a forced tool', FORCED, 'tool_choice', (body) => {
    body.tools = [...(body.tools ?? []), { type: 'function', name: 'look', parameters: PARAMETERS }];
    body.tool_choice = 'required';
  }),
  part('a file with a name', /mark-file/, 'input[].content[].filename', (body) => {
    const file_data = 'data:application/pdf;base64,JVBERi0xLjQK';
    input(body).push({ type: 'input_file', filename: 'mark-file.pdf', file_data });
  }),
  part('detail', /"detail":"low"/, 'input[].content[].detail', (body) => {
    input(body).push({ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' });
  }),
  part('detail in a result', /"detail":"high"/, 'input[].content[].detail', (body) => {
    const output = [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'high' }];
    before(
      body.input,
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output },
    );
  }),
  part('a part with an option of nobody', /mark-part/, 'input[', (body) => {
    input(body).push({ type: 'input_text', text: 'x', y: 'mark-part' });
  }),
  part('an item with an option of nobody', /mark-item/, 'input[', (body) => {
    body.input.at(-1).y = 'mark-item';
  }),
  part('citations', /mark\.example/, 'input[].content[].annotations', (body) => {
    const annotation = {
      type: 'url_citation',
      url: 'https://mark.example',
      title: 't',
      start_index: 0,
      end_index: 2,
    };
    const content = [{ type: 'output_text', text: 'ok', annotations: [annotation] }];
    before(body.input, { type: 'message', role: 'assistant', content });
  }),
  part('citations of files', /mark-cited/, 'input[', (body) => {
    const annotation = { type: 'file_citation', file_id: 'mark-cited', filename: 'f', index: 0 };
    const content = [{ type: 'output_text', text: 'ok', annotations: [annotation] }];
    before(body.input, { type: 'message', role: 'assistant', content });
  }),
  part('thinking', /mark-thought/, 'input[].summary', (body) => {
    const summary = [{ type: 'summary_text', text: 'mark-thought' }];
    before(body.input, { type: 'reasoning', id: 'rs_1', summary }, { role: 'assistant', content: 'ok' });
  }),
  part('a picture that was made', new RegExp(PNG), 'input', (body) => {
    before(body.input, { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PNG });
  }),
  part('a search that was made', /mark-query/, 'input', (body) => {
    const action = { type: 'search', query: 'mark-query' };
    before(body.input, { type: 'web_search_call', id: 'ws_1', status: 'completed', action });
  }),
];

const blocks = (body: Body): Body[] => body.messages.at(-1).content;
const MESSAGES: readonly RequestPart[] = [
  option('temperature', 0.4217),
  option('top_p', 0.4218),
  option('top_k', 4219),
  { ...option('stop_sequences', ['mark-stop'], /mark-stop/), ours: ['responses', 'chat'] },
  option('max_tokens', 24224),
  option('metadata', { user_id: 'mark-user' }, /mark-user/),
  option('service_tier', 'standard_only'),
  option('container', 'mark-container'),
  option('context_management', { edits: [{ type: 'mark-edit' }] }, /mark-edit/),
  option('mcp_servers', [{ type: 'url', url: 'https://mark.example/mcp', name: 'n' }], /mark\.example/),
  option('mark_unknown', 1),
  part('thinking on', EFFORT, 'thinking', (body) => {
    body.thinking = { type: 'enabled', budget_tokens: 16000 };
  }),
  part('effort', EFFORT, '', (body) => {
    body.output_config = { ...body.output_config, effort: 'high' };
  }),
  part('format', /markFormat/, 'output_config.format', (body) => {
    body.output_config = { ...body.output_config, format: { type: 'json_schema', schema: SCHEMA } };
  }),
  part('search', SEARCH, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { type: 'web_search_20250305', name: 'web_search' }];
  }),
  part('a vendor tool', /code_execution/, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { type: 'code_execution_20250825', name: 'code_execution' }];
  }),
  part('the size of a screen', /4227/, 'tools[', (body) => {
    const screen = { display_width_px: 4227, display_height_px: 768 };
    body.tools = [...(body.tools ?? []), { type: 'computer_20250124', name: 'computer', ...screen }];
  }),
  part('a strict tool', STRICT, 'tools', (body) => {
    const tool = { name: 'look', input_schema: PARAMETERS, strict: true };
    body.tools = [...(body.tools ?? []), tool];
  }),
  part('a marked tool', CACHED, 'cache_control', (body) => {
    const tool = { name: 'look2', input_schema: PARAMETERS, cache_control: { type: 'ephemeral' } };
    body.tools = [...(body.tools ?? []), tool];
  }),
  part('one call at a time', NO_PARALLEL, 'tool_choice.disable_parallel_tool_use', (body) => {
    body.tools = [...(body.tools ?? []), { name: 'look3', input_schema: PARAMETERS }];
    body.tool_choice = { type: 'auto', disable_parallel_tool_use: true };
  }),
  part('a mark for the cache', CACHED, 'cache_control', (body) => {
    blocks(body).push({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } });
  }),
  part('a mark on a call', CACHED, 'cache_control', (body) => {
    const call = {
      type: 'tool_use',
      id: 't1',
      name: 'look',
      input: {},
      cache_control: { type: 'ephemeral' },
    };
    body.messages.splice(-1, 0, { role: 'assistant', content: [call] });
    blocks(body).unshift({ type: 'tool_result', tool_use_id: 't1', content: 'r' });
  }),
  part('a title', /mark-title/, 'messages[].content[].title', (body) => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' };
    blocks(body).push({ type: 'document', source, title: 'mark-title' });
  }),
  part('context of a document', /mark-context/, 'messages', (body) => {
    const source = { type: 'text', media_type: 'text/plain', data: 'x' };
    blocks(body).push({ type: 'document', source, context: 'mark-context' });
  }),
  part('citations wanted', /"enabled":true/, 'messages[', (body) => {
    const source = { type: 'text', media_type: 'text/plain', data: 'x' };
    blocks(body).push({ type: 'document', source, citations: { enabled: true } });
  }),
  part('a found page', /mark-found/, 'messages', (body) => {
    const content = [{ type: 'text', text: 'mark-found' }];
    blocks(body).push({ type: 'search_result', source: 'https://s', title: 't', content });
  }),
  part('a block with an option of nobody', /mark-part/, 'messages[', (body) => {
    blocks(body).push({ type: 'text', text: 'x', y: 'mark-part' });
  }),
  part('citations', /mark\.example\/page/, 'messages[].content[].citations', (body) => {
    const citation = {
      ...{ type: 'web_search_result_location', url: 'https://mark.example/page', title: 't' },
      ...{ cited_text: 'c', encrypted_index: 'e' },
    };
    before(body.messages, {
      role: 'assistant',
      content: [{ type: 'text', text: 'ok', citations: [citation] }],
    });
  }),
  part('citations of documents', /mark-cited/, 'messages[', (body) => {
    const place = { document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1 };
    const citation = { type: 'char_location', cited_text: 'mark-cited', ...place };
    before(body.messages, {
      role: 'assistant',
      content: [{ type: 'text', text: 'ok', citations: [citation] }],
    });
  }),
  part('thinking', /mark-thought/, 'messages[].content[].thinking', (body) => {
    const thinking = { type: 'thinking', thinking: 'mark-thought', signature: 's' };
    before(body.messages, { role: 'assistant', content: [thinking, { type: 'text', text: 'ok' }] });
  }),
];

const config = (body: Body): Body => {
  body.generationConfig ??= {};
  return body.generationConfig;
};
const setting = (name: string, value: unknown, said?: RegExp): RequestPart => {
  const plain = option(name, value, said);
  return { ...plain, named: `generationConfig.${name}`, write: (body) => plain.write(config(body)) };
};
const parts = (body: Body): Body[] => body.contents.at(-1).parts;
const GEMINI: readonly RequestPart[] = [
  setting('temperature', 0.4217),
  setting('topP', 0.4218),
  setting('topK', 4219),
  setting('frequencyPenalty', 0.4221),
  setting('presencePenalty', 0.4222),
  setting('seed', 4223),
  { ...setting('stopSequences', ['mark-stop'], /mark-stop/), ours: ['responses', 'chat'] },
  setting('maxOutputTokens', 4224),
  setting('mediaResolution', 'MEDIA_RESOLUTION_LOW'),
  setting('responseMimeType', 'text/x.enum'),
  setting('markUnknown', 4228),
  option('labels', { team: 'mark-label' }, /mark-label/),
  option('safetySettings', [{ category: 'mark-category', threshold: 'BLOCK_NONE' }], /mark-category/),
  part('level', EFFORT, 'generationConfig.thinkingConfig', (body) => {
    config(body).thinkingConfig = { thinkingLevel: 'HIGH' };
  }),
  part('logprobs', /"top_logprobs":3/, 'generationConfig.responseLogprobs', (body) => {
    Object.assign(config(body), { responseLogprobs: true, logprobs: 3 });
  }),
  part('format', /markFormat/, 'generationConfig.responseMimeType', (body) => {
    Object.assign(config(body), { responseMimeType: 'application/json', responseJsonSchema: SCHEMA });
  }),
  part('search', SEARCH, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { googleSearch: {} }];
  }),
  part('a vendor tool', /codeExecution/, 'tools[', (body) => {
    body.tools = [...(body.tools ?? []), { codeExecution: {} }];
  }),
  part('a forced tool', FORCED, 'toolConfig', (body) => {
    const functionDeclarations = [{ name: 'look', parametersJsonSchema: PARAMETERS }];
    body.tools = [...(body.tools ?? []), { functionDeclarations }];
    body.toolConfig = { functionCallingConfig: { mode: 'ANY' } };
  }),
  part('a form of results', /mark-result/, 'tools[', (body) => {
    const response = { type: 'OBJECT', description: 'mark-result' };
    body.tools = [...(body.tools ?? []), { functionDeclarations: [{ name: 'look2', response }] }];
  }),
  part('a name of a file', /mark-file/, 'inlineData.displayName', (body) => {
    const inlineData = { mimeType: 'application/pdf', data: 'JVBERi0xLjQK', displayName: 'mark-file.pdf' };
    parts(body).push({ inlineData });
  }),
  part('a cut of a film', /mark-cut/, 'contents[', (body) => {
    parts(body).push({ text: 'x', videoMetadata: { startOffset: 'mark-cut' } });
  }),
  part('thinking', /mark-thought/, 'contents[].parts[].thought', (body) => {
    before(body.contents, {
      role: 'model',
      parts: [{ text: 'mark-thought', thought: true }, { text: 'ok' }],
    });
  }),
  part('a picture that was made', new RegExp(PNG), 'contents', (body) => {
    before(body.contents, { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] });
  }),
  part('code that ran', /mark-code/, 'contents', (body) => {
    const executableCode = { language: 'PYTHON', code: 'mark-code' };
    before(body.contents, { role: 'model', parts: [{ executableCode }] });
  }),
];

export const REQUEST_PARTS: Readonly<Record<TextProtocol, readonly RequestPart[]>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  gemini: GEMINI,
};
