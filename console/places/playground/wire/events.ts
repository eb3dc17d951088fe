const LINE_CHARS_MAX = 64 * 1024 * 1024;

/** The `data` of each event of a stream, in order. Comments and other fields are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  let data: string[] = [];
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      rest += value;
      if (rest.length > LINE_CHARS_MAX) throw new Error('an event of the stream is too long');
      // A line may end with both characters, and they may arrive apart.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
        else if (line === '' && data.length > 0) {
          yield data.join('\n');
          data = [];
        }
      }
      if (!done) continue;
      if (data.length > 0) yield data.join('\n');
      return;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
