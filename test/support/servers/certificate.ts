import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { openssl } from '../../prerequisites.ts';
import { atTestEnd } from '../suite/ends.ts';

/** A certificate that nobody but itself vouches for. */
export function certificateOf(name: string): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'));
  atTestEnd(() => rmSync(folder, { recursive: true }));
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2'];
  execFileSync(String(openssl), ['req', ...kind, ...files, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') };
}

/** Until the end of this test the whole process trusts it. */
export function trust(certificate: string): void {
  const trusted = tls.getCACertificates();
  atTestEnd(() => tls.setDefaultCACertificates(trusted));
  tls.setDefaultCACertificates([...trusted, certificate]);
}
