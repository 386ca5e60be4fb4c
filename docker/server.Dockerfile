# The server with the client it serves. It wants a PostgreSQL of its own (DATABASE_URL).
#   docker build -t miranda-server -f docker/server.Dockerfile .
ARG BASE=debian:trixie-slim
FROM ${BASE} AS built
RUN command -v npm > /dev/null || { apt-get update && apt-get install -y --no-install-recommends ca-certificates nodejs npm; }
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
# First the Node that everything runs on: npm leaves out what Debian's is too old for.
RUN npm install --prefix /node node@$(node -p "require('./package.json').dependencies.node")
ENV PATH=/node/node_modules/node/bin:$PATH
RUN npm ci --omit=dev
COPY . .
# Builds the client, leaves out what only that needed, and starts the server with what is left.
RUN node scripts/server-image.ts /image

FROM ${BASE}
# Without set-user-id programs nobody becomes somebody else. A volume at /data/agents takes over its owner.
RUN { command -v python3 > /dev/null || { apt-get update && \
      apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*; }; } && \
    find / -xdev -type f -perm /6000 -exec chmod a-s {} + && \
    mkdir -p /data/agents && chown -R 10001:10001 /data
COPY --from=built /image/ /
WORKDIR /opt/miranda
USER 10001:10001
ENV HOST=0.0.0.0 PORT=4600 MIRANDA_DATA=/data NODE_ENV=production
VOLUME /data
EXPOSE 4600
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "server/start.sh"]
