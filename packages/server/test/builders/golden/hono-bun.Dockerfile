FROM node:24-slim AS build
WORKDIR /app
RUN --mount=type=cache,target=/root/.npm npm install -g bun@1
COPY package.json bun.lock ./
RUN --mount=type=cache,target=/root/.bun/install/cache bun install --frozen-lockfile
COPY . .

FROM node:24-slim
RUN npm install -g bun@1
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app
USER node
EXPOSE 3000
CMD ["bun", "run", "src/index.ts"]
