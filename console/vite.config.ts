import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server that a development console asks (`npx vite console`); the built one asks its own. */
const SERVER = process.env.TOLLGATE_URL ?? 'http://127.0.0.1:8080';

const MOST_PLACES = 24;

/** Parts that open on demand are heavy, and come with the place that opens them. */
function isLight(file: string): boolean {
  return !file.includes('@base-ui') && !file.includes('@floating-ui');
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  cacheDir: join(import.meta.dirname, '..', 'node_modules', '.vite-console'),
  plugins: [react()],
  css: { modules: { generateScopedName: '[name]-[local]-[hash:base64:4]' } },
  build: {
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the content security policy allows files of this server only.
    assetsInlineLimit: 0,
    // Which file was made from which source: the test of what a page loads reads it.
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // What most places need is one file: it compresses better than forty, and takes one request.
        codeSplitting: { groups: [{ name: 'common', minShareCount: MOST_PLACES, test: isLight }] },
      },
    },
  },
  server: {
    proxy: { '/api': SERVER, '/v1': SERVER, '/v1beta': SERVER, '/docs': SERVER, '/openapi.json': SERVER },
  },
});
