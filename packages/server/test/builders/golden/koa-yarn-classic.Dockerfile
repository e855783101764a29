FROM node:20.11.1-slim AS build
WORKDIR /app
COPY package.json yarn.lock ./
RUN --mount=type=cache,target=/usr/local/share/.cache/yarn yarn install --frozen-lockfile
COPY . .
RUN --mount=type=cache,target=/usr/local/share/.cache/yarn yarn install --production --frozen-lockfile --ignore-scripts --prefer-offline

FROM node:20.11.1-slim
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app
USER node
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec env NODE_ENV=production node index.js"]
