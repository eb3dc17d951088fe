import { newHexId } from '../answer/id.ts';
import type { VendorRequest } from '../dialect.ts';
import { invalid, openaiError, openaiHeaders } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { parseForm } from '../request/multipart.ts';
import type { Asking } from './anthropic.ts';
import type { StoredFile } from './batches.ts';
import { json } from './openai.ts';

const PATH = /^\/v1\/files(?:\/([^/]{1,300})(\/content)?)?$/;
const PURPOSES: ReadonlySet<string> = new Set([
  'batch',
  'assistants',
  'fine-tune',
  'vision',
  'user_data',
  'evals',
]);

/** Files of OpenAI. `undefined`: not at this path, or not with this method. */
export function matchFiles(
  method: string,
  path: string,
): ((request: VendorRequest, asking: Asking) => Reply) | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, name, content] = match;
  if (name === undefined) return method === 'POST' ? create : method === 'GET' ? list : undefined;
  const isRead = method === 'GET' || (method === 'DELETE' && content === undefined);
  if (!isRead) return undefined;
  const id = decodeURIComponent(name);
  return (request, { batches }) => {
    const file = batches.findFile(request.key, id);
    if (file === undefined) return openaiError(404, { message: `No such File object: ${id}` });
    if (content !== undefined) {
      const headers = { ...openaiHeaders(), 'content-type': 'application/octet-stream' };
      return { kind: 'reply', status: 200, headers, body: file.content.toString() };
    }
    if (method === 'GET') return json(show(file));
    batches.forgetFile(id);
    return json({ id, object: 'file', deleted: true });
  };
}

function create(request: VendorRequest, { batches }: Asking): Reply {
  const fields = parseForm(request.headers['content-type'] ?? '', request.body);
  if (fields === undefined) return invalid('Could not parse multipart form', null, null);
  const purpose = fields.find(({ name }) => name === 'purpose')?.data.toString() ?? '';
  const file = fields.find(({ name }) => name === 'file');
  if (!PURPOSES.has(purpose))
    return invalid(`'${purpose}' is not a valid purpose.`, 'purpose', 'invalid_value');
  if (file?.filename === undefined) return invalid("'file' is a required property", 'file', null);
  if (purpose === 'batch' && !file.filename.endsWith('.jsonl')) {
    return invalid('Invalid file format for Batch API. Must be .jsonl', 'file', 'invalid_file_format');
  }
  const { filename, data: content } = file;
  const id = `file-${newHexId(24)}`;
  return json(
    show(batches.addFile({ id, key: request.key, filename, purpose, content: Buffer.from(content) })),
  );
}

function list({ key, query }: VendorRequest, { batches }: Asking): Reply {
  const purpose = query.get('purpose');
  const data = batches.files(key).filter((file) => purpose === null || file.purpose === purpose);
  return json({ object: 'list', data: data.map(show), has_more: false });
}

function show({ id, content, createdMs, filename, purpose }: StoredFile) {
  return {
    id,
    object: 'file',
    bytes: content.length,
    created_at: Math.floor(createdMs / 1000),
    expires_at: null,
    filename,
    purpose,
    status: 'processed',
    status_details: null,
  };
}
