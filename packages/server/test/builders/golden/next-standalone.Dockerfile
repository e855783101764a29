FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production HOSTNAME=0.0.0.0 PORT=3000
COPY --from=build --chown=node:node /app/.next/standalone /app
COPY --from=build --chown=node:node /app/.next/static /app/.next/static
COPY --from=build --chown=node:node /app/public /app/public
WORKDIR /app
USER node
EXPOSE 3000
CMD ["node", "server.js"]
