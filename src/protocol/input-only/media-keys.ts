import { compileMediaKeys } from '../media/finder.ts';

/** Vendors whose models see and hear take objects like `{"image": …}` among the texts. */
export const FILES_OF_OTHERS = compileMediaKeys({
  raw: [],
  part: ['image', 'image_url', 'video', 'video_url', 'audio', 'audio_url'],
  inner: ['url', 'data'],
});
