FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci
RUN npm run build --workspace=server

FROM node:24-slim
ENV NODE_ENV=production PORT=3000
ENV PATH=/app/server/node_modules/.bin:/app/node_modules/.bin:$PATH
COPY --from=build --chown=node:node /app /app
WORKDIR /app/server
USER node
EXPOSE 3000
CMD ["node", "dist/index.js"]
