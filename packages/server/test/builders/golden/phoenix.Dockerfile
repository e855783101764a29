FROM elixir:1.18-slim AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git && rm -rf /var/lib/apt/lists/*
ENV MIX_ENV=prod
RUN mix local.hex --force && mix local.rebar --force
COPY . .
RUN --mount=type=cache,target=/root/.cache/hex --mount=type=cache,target=/root/.hex/packages mix deps.get --only prod && mix deps.compile
RUN mix compile && mix assets.deploy && mix release --path /out

FROM elixir:1.18-slim
RUN useradd --create-home --uid 1000 app
ENV LANG=C.UTF-8 MIX_ENV=prod PHX_SERVER=true PORT=3000
WORKDIR /app
COPY --from=build --chown=app:app /out/ /app/
USER app
EXPOSE 3000
CMD ["/app/bin/shop", "start"]
