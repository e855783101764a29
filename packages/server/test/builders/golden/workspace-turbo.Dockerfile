FROM node:22-slim AS build
WORKDIR /app
RUN --mount=type=cache,target=/root/.npm npm install -g pnpm@10.2.0
COPY . .
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
RUN node_modules/.bin/turbo run build --filter=@shop/web

FROM node:22-slim
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/apps/web/node_modules/.bin:/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app/apps/web
USER node
EXPOSE 3000
CMD ["next", "start"]
