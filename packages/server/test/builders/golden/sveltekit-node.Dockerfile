FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build
RUN --mount=type=cache,target=/root/.npm npm prune --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app
USER node
EXPOSE 3000
CMD ["node", "build"]
