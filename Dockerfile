# syntax=docker/dockerfile:1
FROM node:24-trixie AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY jarvis-backend/package.json jarvis-backend/
COPY jarvis-frontend/package.json jarvis-frontend/
COPY packages/demo-model/package.json packages/demo-model/
COPY packages/fake-proxmox/package.json packages/fake-proxmox/
COPY packages/homelab-ports/package.json packages/homelab-ports/
COPY packages/house/package.json packages/house/
COPY packages/hybrid-index/package.json packages/hybrid-index/
COPY packages/node-kit/package.json packages/node-kit/
COPY packages/openai-door/package.json packages/openai-door/
COPY packages/protocol/package.json packages/protocol/
COPY packages/redaction/package.json packages/redaction/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/secrets/package.json packages/secrets/
COPY packages/sentence-encoder/package.json packages/sentence-encoder/
COPY packages/signing/package.json packages/signing/
COPY packages/ssh-grammar/package.json packages/ssh-grammar/
RUN npm ci
COPY . .
# Any value leaves the demo out of the image, for example `docker build --build-arg WITHOUT_DEMO=1 .`
ARG WITHOUT_DEMO
RUN npm run build -- ${WITHOUT_DEMO:+--without-demo} && npm prune --omit=dev

FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 JARVIS_DATA_DIR=/data
WORKDIR /app
# What confines the commands of the workbench, and what searches its files.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ripgrep git && rm -rf /var/lib/apt/lists/*
# /key: for JARVIS_SECRETS_KEY_FILE, where a volume of its own is mounted.
RUN mkdir /data /key && chown node:node /data /key
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/jarvis-backend/package.json ./jarvis-backend/
COPY --from=build /app/jarvis-backend/dist ./jarvis-backend/dist
COPY --from=build /app/jarvis-frontend/dist ./jarvis-frontend/dist
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "jarvis-backend/dist/main.js"]
