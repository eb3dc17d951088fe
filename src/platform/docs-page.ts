import { hash } from 'node:crypto';
import { describeSchema } from './docs-schema.ts';
import { type Html, html, join, prose, raw } from './html.ts';
import type { MediaType, OpenApiDocument, Operation, Parameter, Response } from './openapi-form.ts';

/** The document for people: one page without scripts, so that it works offline and nothing can run in it. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --tint: #8881; --mark: light-dark(#1d4ed8, #93c5fd);
  --soft: light-dark(#525252, #b3b3b3); }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem 1fr;
  background: Canvas; color: CanvasText; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem;
  border-right: 1px solid var(--line); }
nav > a { font-weight: 600; } nav ul { list-style: none; margin: 0.2rem 0 1rem; padding: 0; }
nav li a { font-size: 13px; display: block; padding: 1px 0; }
main { padding: 1.5rem 2rem 6rem; max-width: 64rem; min-width: 0; overflow-wrap: anywhere; }
a { color: inherit; text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: 3px; }
h1 { margin: 0; } h2 { margin: 3rem 0 0.5rem; border-bottom: 1px solid var(--line); }
article { border: 1px solid var(--line); border-radius: 8px; margin: 0.6rem 0; }
summary { cursor: pointer; padding: 0.6rem 1rem; }
article > details > div { padding: 0 1rem 1rem; scroll-margin-top: 6rem; }
article details details { border-top: 1px solid var(--line); } details details summary { padding: 0.4rem 0; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--tint); padding: 0.8rem; overflow: auto; border-radius: 6px; }
.method { display: inline-block; width: 3.8rem; font: 700 12px ui-monospace, monospace; color: var(--mark); }
.path { margin-right: 0.5rem; } .soft { color: var(--soft); } h4 { margin: 1rem 0 0.3rem; }
table { border-collapse: collapse; width: 100%; }
td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem 0.25rem 0; border-top: 1px solid var(--line); }
td:first-child { width: 12rem; }
@media (max-width: 50rem) {
  body { display: block; } main { padding: 0.5rem 1rem 4rem; }
  nav { position: static; height: auto; border: 0; padding: 1rem 1rem 0; } nav ul { display: none; }
  nav > a { display: inline-block; margin: 0 0.9rem 0.4rem 0; }
  summary > .soft { display: block; }
  table, tbody, tr, td, td:first-child { display: block; width: auto; }
  td { border: 0; padding: 0.1rem 0; } tr { border-top: 1px solid var(--line); padding: 0.3rem 0; }
  td + td { padding-left: 0.8rem; }
}
`;

export function createDocsPage(document: OpenApiDocument): DocsPage {
  const operations = operationsOf(document);
  const groups = document.tags.map((tag) => ({
    tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const { title, version, description } = document.info as Readonly<Record<string, string>>;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} ${version}</title><style>${raw(STYLE)}</style></head>
<body><nav><strong>${title} ${version}</strong><p><a href="/openapi.json">openapi.json</a></p>
${join(groups.map(({ tag, operations: own }) => contents(tag.name, own)))}</nav>
<main><h1>${title}</h1><p>${prose(description)}</p>${join(
    groups.map(({ tag, operations: own }) => section(document, tag, own)),
  )}</main></body></html>`;
  const styleHash = hash('sha256', STYLE, 'base64');
  return {
    html: page.text,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function contents(name: string, operations: readonly Placed[]): Html {
  const entries = operations.map(
    ({ operation: { operationId } }) => html`<li><a href="#${operationId}">${operationId}</a></li>`,
  );
  return html`<a href="#${anchorOf(name)}">${name}</a><ul>${join(entries)}</ul>`;
}

/** Of a group; those of endpoints have a dot, so the two never meet. */
function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function section(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
  operations: readonly Placed[],
): Html {
  return html`<section><h2 id="${anchorOf(name)}">${name}</h2><p class="soft">${prose(description)}</p>${join(
    operations.map((placed) => article(document, placed)),
  )}</section>`;
}

function article(document: OpenApiDocument, { method, path, operation }: Placed): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`<article><details><summary><span class="method">${method}</span>
<code class="path">${path}</code> <span class="soft">${prose(summary)}</span></summary><div id="${operationId}">
${description === undefined ? '' : html`<p>${prose(description)}</p>`}
<p class="soft">${accessOf(operation)}</p>
${parameters.length === 0 ? '' : parameterTable(parameters)}
${requestBody === undefined ? '' : html`<h4>Body</h4>${contentOf(requestBody.content)}`}
${join(
  Object.entries(responses).map(([status, response]) => answer(status, resolve(document, response))),
)}</div></details></article>`;
}

function accessOf({ security }: Operation): string {
  const schemes = security.flatMap((one) => Object.keys(one));
  if (schemes.length === 0) return 'For everybody.';
  if (schemes.includes('apiKey')) return 'With an API key.';
  const isOptional = security.some((one) => Object.keys(one).length === 0);
  return isOptional ? 'For everybody; a login makes it personal.' : 'With a login.';
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, schema }) => html`<tr><td><code>${name}</code></td>
<td>${place}${required ? ', required' : ''}</td><td>${describeSchema(schema, 1)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><table>${join(rows)}</table>`;
}

function answer(status: string, { description, content }: Response): Html {
  return html`<details><summary><code>${status}</code> ${prose(description)}</summary>${contentOf(content)}</details>`;
}

function contentOf(content: Readonly<Record<string, MediaType>>): Html {
  return join(
    Object.entries(content).map(
      ([type, media]) =>
        html`<p class="soft">${type}</p>${describeSchema(media.schema, 0)}${examplesOf(media)}`,
    ),
  );
}

function examplesOf({ example, examples = {} }: MediaType): Html {
  const values = Object.values(examples).map(({ value }) => value);
  if (example !== undefined) values.unshift(example);
  return join(values.map((value) => html`<pre>${textOf(value)}</pre>`));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** Only responses are referred to; what they hold of schemas is told by name. */
function resolve(document: OpenApiDocument, response: Response | { readonly $ref: string }): Response {
  if (!('$ref' in response)) return response;
  const name = String(response.$ref).split('/').at(-1) ?? '';
  return document.components.responses[name] ?? { description: name, content: {} };
}
