FROM golang:1.24-alpine AS build
WORKDIR /src
COPY go.mod ./
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build CGO_ENABLED=0 go build -ldflags="-s -w" -o /out/app ./cmd/server

FROM alpine:3
RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 1000 app
WORKDIR /app
COPY --from=build /out/ /app/
COPY --from=build /src/templates /app/templates
ENV PORT=3000
USER app
EXPOSE 3000
CMD ["/app/app"]
