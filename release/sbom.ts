interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** A bill of materials as `npm sbom` prints it (CycloneDX). */
export interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * The bill of a release, from that of the checkout: what is shipped, and nothing of what only builds or tests
 * it. `shipped` are names with versions. That a package is one for development is left out: the console is
 * built from such, and is part of the release.
 */
export function billOfRelease(bill: Bill, version: string, shipped: readonly string[]): Bill {
  const components = bill.components
    .filter((one) => shipped.includes(nameOf(one)))
    .map(({ scope: _, properties: __, ...one }) => one);
  const known = new Set(components.map(nameOf));
  const missing = shipped.filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const refs = new Set(components.map((one) => one['bom-ref']));
  const { 'bom-ref': was, properties: _, ...own } = bill.metadata.component;
  const ref = `tollgate@${version}`;
  const component = { ...own, 'bom-ref': ref, name: 'tollgate', version, purl: `pkg:npm/${ref}` };
  const dependencies = bill.dependencies
    .map(({ ref: one, dependsOn = [] }) => ({
      ref: one === was ? ref : one,
      dependsOn: dependsOn.filter((other) => refs.has(other)),
    }))
    .filter((one) => one.ref === ref || refs.has(one.ref));
  return { ...bill, metadata: { ...bill.metadata, component }, components, dependencies };
}

function nameOf({ name, version }: Component): string {
  return `${name}@${version}`;
}
