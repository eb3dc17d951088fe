import manifest from '../../package.json' with { type: 'json' };

/** The version of the package: what `tollgate --version`, `/healthz` and our user agent say. */
export const VERSION: string = manifest.version;
