# syntax=docker/dockerfile:1
# One image for every command of payment-gateway: `docker run … worker`, `… webhook`, `… setup`.
# Debian rather than Alpine: the native core of Temporal's SDK needs glibc.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# The dependencies first: they change less often than the code, and this layer is then reused.
COPY package.json package-lock.json .npmrc ./
# No package needs its install script: what is native comes prebuilt inside the packages.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/finish-build.cjs ./scripts/
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts
# Optional peers: metrics of webhook and codec server, and traces, in the versions that were tried.
RUN npm install --no-save --save-prod --omit=dev --ignore-scripts $(node -p "Object.entries(require('./package.json').devDependencies).filter(([name]) => name.includes('opentelemetry')).map((one) => one.join('@')).join(' ')")

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
# The simulator's data; a new volume takes over this owner.
RUN mkdir /data && chown node:node /data
# Root owns the code and `node` runs it, so that a program that is broken into cannot change itself.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/lib ./lib
# The simulator's OpenAPI document shows them.
COPY examples/orders ./examples/orders
USER node
ENTRYPOINT ["node", "lib/cli/main.js"]
CMD ["--help"]
