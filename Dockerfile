# Runs on the builder's own processor even when it builds for another: emulated, Node crashes or hangs.
FROM --platform=$BUILDPLATFORM node:26.13.1-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts

FROM packages AS build
COPY tsconfig.json LICENSE ./
COPY server server
COPY routers routers
COPY models models
COPY bridge bridge
RUN npm run build

FROM packages AS production
ARG TARGETARCH
RUN npm ci --omit=dev --ignore-scripts --cpu=$(echo $TARGETARCH | sed s/amd64/x64/) && mkdir -p /volumes/backups

FROM node:26.13.1-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=production --chown=1000:1000 /app/package.json ./
COPY --from=production --chown=1000:1000 /app/node_modules node_modules
COPY --from=build --chown=1000:1000 /app/dist dist
COPY --chown=1000:1000 server/start.sh server/
# A new volume takes the owner of the folder that it covers. RUN would be emulated here.
COPY --from=production --chown=1000:1000 /volumes /
# The image's user node, by number, so that Kubernetes sees that it is not root.
USER 1000
EXPOSE 3000
CMD ["server/start.sh"]
