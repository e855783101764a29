FROM node:22-slim AS build
WORKDIR /app
RUN --mount=type=cache,target=/root/.npm npm install -g pnpm@10
COPY package.json pnpm-lock.yaml ./
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . .
RUN --mount=type=cache,target=/root/.local/share/pnpm/store CI=true pnpm prune --prod --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app
USER node
EXPOSE 3000
CMD ["node", "app.js"]
