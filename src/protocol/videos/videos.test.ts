import { expect, test } from 'vitest';
import { isRefusal } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { isObjectId } from '../pass-through/object-text.ts';
import { readVideo } from './answer.ts';
import { videos } from './dialect.ts';

const JSON_TYPE = 'application/json';

function raw(body: string, contentType = JSON_TYPE): RawRequest {
  return { body: Buffer.from(body), contentType, path: undefined };
}

function facts(request: RawRequest): RequestFacts {
  const found = videos.readRequest(request);
  if (found instanceof Promise || isRefusal(found)) throw new Error('not read at once');
  return found;
}

function form(fields: Readonly<Record<string, string>>): RawRequest {
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = name === 'input_reference' ? '; filename="a.png"\r\nContent-Type: image/png' : '';
    return `--B\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return raw(`${parts.join('')}--B--\r\n`, 'multipart/form-data; boundary=B');
}

test('a call asks for one video, and nothing of its input is counted', () => {
  const read = facts(raw('{"model":"m","prompt":"a boat","seconds":"8"}'));
  expect(read).toMatchObject({ model: 'm', videos: 1, images: 0, inputTokensEstimate: 0, isFixed: true });
  expect(facts(form({ model: 'm', prompt: 'a boat' }))).toMatchObject({ model: 'm', videos: 1 });
});

test('only the model is replaced, in JSON and in a form with an image', () => {
  const request = raw('{"model":"m","prompt":"a boat"}');
  const json = Buffer.concat(videos.spliceRequest(request, facts(request), 'sora-2'));
  expect(json.toString()).toBe('{"model":"sora-2","prompt":"a boat"}');
  const multipart = form({
    model: 'm',
    prompt: 'p',
    input_reference: 'PNG',
    'input_reference[file_id]': 'f',
  });
  const sent = Buffer.concat(videos.spliceRequest(multipart, facts(multipart), 'sora-2')).toString();
  expect(sent).toContain('name="model"\r\n\r\nsora-2\r\n');
  expect(sent).toContain('filename="a.png"');
  expect(sent).toContain('name="input_reference[file_id]"');
});

test('more than one video is refused, however it is asked for', () => {
  const bodies = [raw('{"model":"m","n":2}'), raw('{"model":"m","n":0}'), form({ model: 'm', n: '2' })];
  for (const body of [...bodies, form({ model: 'm', n: 'many' }), raw('{"n":1}')]) {
    expect(isRefusal(videos.readRequest(body)), body.body.toString()).toBe(true);
  }
  expect(facts(raw('{"model":"m","n":1}')).videos).toBe(1);
  for (const name of ['batch_size', 'num_videos', 'number_of_videos']) {
    expect(facts(raw(`{"model":"m","${name}":1}`)).videos).toBe(1);
    expect(facts(raw(`{"model":"m","${name}":null}`)).videos).toBe(1);
    for (const body of [raw(`{"model":"m","${name}":4}`), form({ model: 'm', [name]: '4' })]) {
      expect(videos.readRequest(body)).toMatchObject({ message: expect.stringContaining(`"${name}"`) });
    }
    expect(isRefusal(videos.readRequest(raw(`{"model":"m","${name}":"4"}`)))).toBe(true);
  }
});

test('a created video is a job, and a failed one costs nothing', () => {
  const body = Buffer.from(
    '{"id":"video_1","object":"video","model":"sora-2","status":"queued","error":null}',
  );
  const created = videos.readResponse(body, 'boats');
  expect(created).toMatchObject({ valid: true, isError: false, jobId: 'video_1', usage: { videos: 1 } });
  expect(Buffer.concat(created.pieces).toString()).toBe(body.toString().replace('sora-2', 'boats'));
  const failed = Buffer.from('{"id":"video_1","status":"failed","error":{"code":"moderation_blocked"}}');
  expect(videos.readResponse(failed, 'm')).toMatchObject({
    valid: true,
    isError: false,
    usage: { videos: 0 },
  });
  expect(videos.readResponse(failed, 'm').jobId).toBeUndefined();
});

test.each([
  '{"id":"","status":"queued"}',
  '{"id":7,"status":"queued"}',
  '{"id":"a/b","status":"queued"}',
  '{"id":"..","status":"queued"}',
  '{"id":"a\\u0000","status":"queued"}',
  '{"id":"\\ud800","status":"queued"}',
  `{"id":"${'x'.repeat(257)}","status":"queued"}`,
  '{"status":"queued"}',
  '<html>',
])('%s is no answer', (text) => {
  expect(videos.readResponse(Buffer.from(text), 'm').valid).toBe(false);
});

test('an object with nothing but an error is one', () => {
  const answer = videos.readResponse(Buffer.from('{"error":{"message":"no"}}'), 'm');
  expect(answer).toMatchObject({ valid: true, isError: true, usage: undefined });
});

test('the state of a video is read from what the vendor says', () => {
  const video = readVideo(Buffer.from('{"id":"v","status":"completed","model":"sora-2"}'), 'm');
  expect(video).toMatchObject({ id: 'v', status: 'completed', valid: true });
  expect(isObjectId('v'.repeat(256))).toBe(true);
});
