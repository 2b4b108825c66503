# On the builder's own processor for every other, too: emulated, Node crashes or hangs.
FROM --platform=$BUILDPLATFORM node:26.13.1-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json LICENSE ./
COPY server server
COPY routers routers
COPY models models
COPY bridge bridge
RUN npm ci
ARG TARGETARCH
RUN npm ci --omit=dev --ignore-scripts --cpu=$(echo $TARGETARCH | sed s/amd64/x64/)

FROM node:26.13.1-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build --chown=node:node /app/package.json ./
COPY --from=build --chown=node:node /app/node_modules node_modules
COPY --from=build --chown=node:node /app/dist dist
USER node
EXPOSE 3000
# node itself, not npm: SIGTERM must reach the service.
CMD ["node", "--enable-source-maps", "--max-old-space-size=768", "--heap-growing-percent=150", "--no-allocation-site-pretenuring", "--no-memory-reducer", "--min-semi-space-size=16", "dist/server/main.js"]
