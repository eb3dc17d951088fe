import type { EndpointRow } from '../row.ts';
import { MODEL, pageOf } from './shared.ts';

const TEXT = { type: 'string' };
const FILE = { type: 'string', format: 'binary' };
const SOUND = {
  type: 'object',
  required: ['model', 'file'],
  properties: { model: MODEL, file: FILE, response_format: TEXT },
};
const IMAGES = { tag: 'Images', of: 'OpenAI' } as const;
const SPEECH = { tag: 'Speech', of: 'OpenAI' } as const;
const VIDEOS = { tag: 'Videos', of: 'OpenAI' } as const;

/** Images, speech and videos. */
export const MEDIA_ROWS = {
  createImage: {
    method: 'POST',
    path: '/v1/images/generations',
    call: { protocol: 'images' },
    document: {
      ...IMAGES,
      title: 'Create images',
      streams: true,
      body: { model: MODEL, prompt: TEXT },
      example: { model: 'gpt-image-1', prompt: 'A toll gate in the mountains' },
    },
  },
  editImage: {
    method: 'POST',
    path: '/v1/images/edits',
    call: { protocol: 'images', edit: true },
    document: {
      ...IMAGES,
      title: 'Edit images',
      streams: true,
      form: {
        type: 'object',
        required: ['model', 'prompt', 'image'],
        properties: { model: MODEL, prompt: TEXT, image: FILE },
      },
    },
  },
  varyImage: {
    method: 'POST',
    path: '/v1/images/variations',
    call: { protocol: 'images', edit: true, action: 'variation' },
    document: {
      ...IMAGES,
      title: 'Create variations of an image',
      form: {
        type: 'object',
        required: ['model', 'image'],
        properties: { model: MODEL, image: FILE, n: { type: 'integer' } },
      },
    },
  },
  createSpeech: {
    method: 'POST',
    path: '/v1/audio/speech',
    call: { protocol: 'speech' },
    document: {
      ...SPEECH,
      title: 'Create speech',
      type: 'audio/mpeg',
      note: 'Charged by the characters of `input`.',
      body: { model: MODEL, input: TEXT, voice: TEXT },
      example: { model: 'tts-1', input: 'Hello', voice: 'alloy' },
    },
  },
  createTranscription: {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    call: { protocol: 'transcriptions' },
    document: { ...SPEECH, title: 'Create a transcription', streams: true, form: SOUND },
  },
  createTranslation: {
    method: 'POST',
    path: '/v1/audio/translations',
    call: { protocol: 'transcriptions', action: 'translation' },
    document: { ...SPEECH, title: 'Create a translation into English', form: SOUND },
  },
  createVideo: {
    method: 'POST',
    path: '/v1/videos',
    call: { protocol: 'videos' },
    document: {
      ...VIDEOS,
      title: 'Create a video',
      note:
        'Its price is held until the video is complete, and returned if it fails. ' +
        'With an image as a multipart form.',
      body: { model: MODEL, prompt: TEXT },
      example: { model: 'sora-2', prompt: 'A lighthouse at dawn' },
    },
  },
  listVideos: {
    method: 'GET',
    path: '/v1/videos',
    errors: 'videos',
    document: {
      ...VIDEOS,
      title: 'List videos',
      note: 'Those of the account, as their vendors show them.',
      query: pageOf('videos'),
    },
  },
  getVideo: {
    method: 'GET',
    path: '/v1/videos/{id}',
    errors: 'videos',
    document: { ...VIDEOS, title: 'Get a video' },
  },
  deleteVideo: {
    method: 'DELETE',
    path: '/v1/videos/{id}',
    errors: 'videos',
    document: { ...VIDEOS, title: 'Delete a video' },
  },
  getVideoContent: {
    method: 'GET',
    path: '/v1/videos/{id}/content',
    errors: 'videos',
    document: {
      ...VIDEOS,
      title: 'Get the content of a video',
      type: 'video/mp4',
      note: '`Range` is passed on.',
      query: { variant: '`video`, `thumbnail` or `spritesheet`.' },
    },
  },
  remixVideo: { method: 'POST', path: '/v1/videos/{id}/remix', errors: 'videos' },
  editVideo: { method: 'POST', path: '/v1/videos/edits', errors: 'videos' },
  extendVideo: { method: 'POST', path: '/v1/videos/extensions', errors: 'videos' },
  createVideoCharacter: { method: 'POST', path: '/v1/videos/characters', errors: 'videos' },
  getVideoCharacter: { method: 'GET', path: '/v1/videos/characters/{id}', errors: 'videos' },
} as const satisfies Readonly<Record<string, EndpointRow>>;
