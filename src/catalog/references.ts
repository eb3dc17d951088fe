import { readCloudSecret } from './cloud.ts';
import type { CatalogFile, CredentialEntry, KnownCatalog, ModelEntry, RouteEntry } from './document.ts';
import { routeKey } from './document.ts';
import type { Problems } from './file/problems.ts';
import type { Tree } from './file/yaml-tree.ts';

export interface References {
  readonly document: CatalogFile;
  /** For the lines of what is reported. */
  readonly tree: Tree;
  readonly known: KnownCatalog;
  readonly problems: Problems;
}

/** Checks across entries: duplicate names, and names that do not exist. */
export function checkReferences(references: References): void {
  checkDuplicates(references);
  checkCredentials(references);
  for (const [index, model] of references.document.models.entries()) {
    checkRoutes(references, model, `models[${index}]`);
  }
  checkTerms(references);
  checkAccounts(references);
}

function checkDuplicates(references: References): void {
  const { document } = references;
  const lists: [string, string, readonly (string | number)[]][] = [
    ['vendors', 'code', document.vendors.map((each) => each.code)],
    ['credentials', 'name', document.credentials.map((each) => each.name)],
    ['models', 'model_id', document.models.map((each) => each.modelId)],
    ['policies', 'id', document.policies.map((each) => each.id)],
    ['plans', 'code', document.plans.map((each) => each.code)],
    ['nodes', 'name', document.nodes.map((each) => each.name)],
    ['announcements', 'id', document.announcements.map((each) => each.id)],
    ['accounts', 'email', document.accounts.map((each) => each.email)],
  ];
  for (const [listName, key, values] of lists) reportTwice(references, listName, { key, values });
  document.models.forEach(({ routes = [] }, index) => {
    const values = routes.map((route) => (route.credentialName === '' ? '' : routeKey(route)));
    reportTwice(references, `models[${index}].routes`, { key: 'credential', values });
  });
}

function reportTwice(
  references: References,
  listName: string,
  { key, values }: { key: string; values: readonly (string | number)[] },
): void {
  const first = new Map<string | number, number>();
  values.forEach((value, index) => {
    const path = `${listName}[${index}].${key}`;
    const before = first.get(value);
    // An empty value was reported by its reader.
    if (value === '' || references.problems.has(path)) return;
    if (before === undefined) first.set(value, index);
    else complain(references, path, `"${value}" stands in ${listName}[${before}] already`);
  });
}

function checkCredentials(references: References): void {
  const { document, known } = references;
  document.credentials.forEach((credential, index) => {
    const path = `credentials[${index}].vendor`;
    requireVendor(references, credential.vendorCode, path);
    const stored = known.credentials.get(credential.name);
    // Its routes would send the new vendor's key to the old vendor's address.
    if (stored !== undefined && credential.vendorCode !== '' && stored.vendorCode !== credential.vendorCode) {
      complain(
        references,
        path,
        `credential "${credential.name}" belongs to "${stored.vendorCode}"; use another name`,
      );
    }
    // The stored secret stays, if there is one that can be opened.
    if (credential.secret === '' && (stored?.secret ?? '') === '') {
      complain(references, `credentials[${index}].secret`, 'is required');
    } else checkCloudSecret(references, credential, index);
  });
}

/** The secret of a cloud has parts. One that is stored already was checked when it came. */
function checkCloudSecret(
  references: References,
  { vendorCode, secret }: CredentialEntry,
  index: number,
): void {
  const { document, known } = references;
  const vendor = document.vendors.find((each) => each.code === vendorCode) ?? known.vendors.get(vendorCode);
  if (secret === '' || vendor?.cloud === undefined) return;
  const read = readCloudSecret(vendor.cloud.kind, secret);
  if (read.kind === 'invalid') complain(references, `credentials[${index}].secret`, read.why);
}

function checkRoutes(references: References, model: ModelEntry, modelPath: string): void {
  model.routes?.forEach((route, index) => {
    const path = `${modelPath}.routes[${index}]`;
    const isVendor = requireVendor(references, route.vendorCode, `${path}.vendor`);
    const credentialVendor = requireCredential(references, route.credentialName, `${path}.credential`);
    // What is compared with an unknown name would be a second complaint about the same slip.
    if (!isVendor || credentialVendor === '') return;
    if (credentialVendor === route.vendorCode) {
      checkRouteProtocols(references, route, path);
    } else {
      const message = `"${route.credentialName}" belongs to vendor "${credentialVendor}"`;
      complain(references, `${path}.credential`, message);
    }
  });
}

/** The credential's vendor; empty if there is nothing to compare. */
function requireCredential(references: References, credentialName: string, path: string): string {
  const { document, known } = references;
  if (credentialName === '') return '';
  const credential =
    document.credentials.find((each) => each.name === credentialName) ??
    known.credentials.get(credentialName);
  if (credential === undefined) complain(references, path, `unknown credential "${credentialName}"`);
  return credential?.vendorCode ?? '';
}

function checkRouteProtocols(references: References, route: RouteEntry, path: string): void {
  const { document, known } = references;
  const vendor =
    document.vendors.find((each) => each.code === route.vendorCode) ?? known.vendors.get(route.vendorCode);
  // An empty list was reported by its reader.
  if (vendor === undefined || vendor.protocols.length === 0) return;
  for (const protocol of route.protocols ?? []) {
    if (vendor.protocols.includes(protocol)) continue;
    complain(references, `${path}.protocols`, `vendor "${vendor.code}" does not speak ${protocol}`);
  }
}

function checkTerms(references: References): void {
  const { document, known } = references;
  requirePolicy(references, document.defaults?.policyId, 'defaults.policy');
  const models = new Set([...known.models.keys(), ...document.models.map((model) => model.modelId)]);
  document.plans.forEach((plan, index) => {
    requirePolicy(references, plan.policyId, `plans[${index}].policy`);
    if (plan.coversModels === '*') return;
    plan.coversModels.forEach((modelId, place) => {
      if (modelId === '' || models.has(modelId)) return;
      complain(references, `plans[${index}].covers.models[${place}]`, `unknown model "${modelId}"`);
    });
  });
}

function checkAccounts(references: References): void {
  const { document, known } = references;
  const plans = new Set([...known.plans.keys(), ...document.plans.map((plan) => plan.code)]);
  const models = new Set([...known.models.keys(), ...document.models.map((model) => model.modelId)]);
  document.accounts.forEach(({ subscription, fallbackModel }, index) => {
    const planCode = subscription?.planCode ?? '';
    if (planCode !== '' && !plans.has(planCode)) {
      complain(references, `accounts[${index}].subscription.plan`, `unknown plan "${planCode}"`);
    }
    if (fallbackModel !== null && fallbackModel !== '' && !models.has(fallbackModel)) {
      complain(references, `accounts[${index}].fallback_model`, `unknown model "${fallbackModel}"`);
    }
  });
}

function requireVendor(references: References, vendorCode: string, path: string): boolean {
  const { document, known } = references;
  if (vendorCode === '') return false;
  if (known.vendors.has(vendorCode) || document.vendors.some((each) => each.code === vendorCode)) return true;
  complain(references, path, `unknown vendor "${vendorCode}"`);
  return false;
}

function requirePolicy(references: References, policyId: number | undefined, path: string): void {
  const { document, known } = references;
  if (policyId === undefined || known.policies.has(policyId)) return;
  if (document.policies.some((policy) => policy.id === policyId)) return;
  complain(references, path, `unknown policy ${policyId}`);
}

/** A second complaint about one place would be about what its reader put there instead. */
function complain(references: References, path: string, message: string): void {
  if (references.problems.has(path)) return;
  references.problems.add(path, message, lineAt(references.tree, path));
}

/** The line of the deepest part of the path that is in the file. */
function lineAt(root: Tree, path: string): number {
  let tree = root;
  for (const step of path.split(/[.[\]]+/)) {
    const child =
      tree.kind === 'map'
        ? tree.entries.get(step)
        : tree.kind === 'list'
          ? tree.items[Number(step)]
          : undefined;
    if (child === undefined) break;
    tree = child;
  }
  return tree.line;
}
