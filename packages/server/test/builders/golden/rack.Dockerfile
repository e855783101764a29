FROM ruby:3.4.1-slim AS build
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git libpq-dev libyaml-dev libsqlite3-dev default-libmysqlclient-dev pkg-config && rm -rf /var/lib/apt/lists/*
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test BUNDLE_PATH=/usr/local/bundle
COPY Gemfile .ruby-version ./
RUN --mount=type=cache,target=/root/.bundle/cache bundle install
COPY . .

FROM ruby:3.4.1-slim
RUN apt-get update && apt-get install -y --no-install-recommends libpq5 libyaml-0-2 libsqlite3-0 libmariadb3 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 app
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test BUNDLE_PATH=/usr/local/bundle RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 PORT=3000
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["/bin/sh", "-c", "bundle exec rackup --host 0.0.0.0 --port ${PORT:-3000}"]
