import { describe, expect, it } from 'vitest';
import { findPreset, vendorPresets } from '../catalog/presets/presets.ts';
import { renderVendorDocs, vendorDocs, writtenVendorDocs } from './vendor-docs.ts';

describe('docs/vendors.md', () => {
  it('ends with what the presets say; `npm run vendors` writes it', () => {
    expect(writtenVendorDocs()).toBe(vendorDocs());
  });

  it('keeps what is written by hand, and changes nothing the second time', () => {
    const once = renderVendorDocs('# Vendors\n\nBy hand.\n', vendorPresets());
    expect(once).toMatch(/^# Vendors\n\nBy hand\.\n\n## Vendors that Tollgate knows\n/);
    expect(renderVendorDocs(once, vendorPresets())).toBe(once);
  });

  it('says of a vendor how it was tried, its addresses, quirks, models and dated prices', () => {
    const preset = findPreset('deepseek');
    const page = renderVendorDocs('', preset === undefined ? [] : [preset]);
    expect(page).toContain('| `deepseek` | DeepSeek | chat, messages | 4 | recordings |');
    expect(page).toContain('### DeepSeek\n`deepseek`. Its protocol is checked');
    expect(page).toContain('- `https://api.deepseek.com/v1`: chat\n');
    expect(page).toContain('- It refuses `developer_role`.\n');
    expect(page).toContain(
      '| `deepseek-v4-pro` | 1000000 |  | 0.435 | 0.87 | 0.003625 |  | USD, 2026-08-05, price-map |',
    );
  });
});
