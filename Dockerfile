# The Node that package.json names. `npm run release` writes the digest, which is that of the index of all platforms:
# docker buildx imagetools inspect node:26.10.0-slim
FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33 AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY LICENSE ./
COPY bin bin/
COPY clients clients/
COPY packages packages/
COPY src src/
RUN npm run build -- service

FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33
ENV CAIRN_HOST=0.0.0.0 CAIRN_DATA_DIR=/data NODE_COMPILE_CACHE=/var/cache/cairn
RUN install -d -o node -g node -m 0700 /data /var/cache/cairn
WORKDIR /srv/cairn
COPY --from=build /src/dist/packages/service ./
USER node
# Compiles the service once, so that a start is quicker.
RUN ["node", "bin/cairn.mjs", "serve", "--help"]
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=30s --interval=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
# The launcher starts Node again in its own process, which is the one that gets SIGTERM.
CMD ["node", "bin/cairn.mjs", "serve"]
