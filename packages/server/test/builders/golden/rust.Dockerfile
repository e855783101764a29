FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked --mount=type=cache,target=/src/target,sharing=locked cargo build --release --locked && mkdir -p /out && cp target/release/shop-api /out/

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libssl3 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 app
WORKDIR /app
COPY --from=build /out/ /app/
COPY --from=build /src/migrations /app/migrations
ENV PORT=3000
USER app
EXPOSE 3000
CMD ["/app/shop-api"]
