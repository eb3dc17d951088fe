/** The outcome of one call of the gateway. */
export interface Tested {
  readonly ok: boolean;
  /** 0: no answer. */
  readonly status: number;
  readonly message: string;
}

/** One small call with the key itself, as any client makes it. No cookie goes along. */
export async function testKey(key: string, model: string): Promise<Tested> {
  try {
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      credentials: 'omit',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] }),
    });
    const body: { readonly message?: unknown } = await response.json();
    return { ok: response.ok, status: response.status, message: String(body.message ?? '') };
  } catch {
    return { ok: false, status: 0, message: '' };
  }
}
