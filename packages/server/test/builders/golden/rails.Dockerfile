FROM ruby:3.3.6-slim AS build
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git libpq-dev libyaml-dev libsqlite3-dev default-libmysqlclient-dev pkg-config && rm -rf /var/lib/apt/lists/*
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test BUNDLE_PATH=/usr/local/bundle
COPY Gemfile Gemfile.lock ./
RUN --mount=type=cache,target=/root/.bundle/cache bundle install
COPY . .
RUN SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile

FROM ruby:3.3.6-slim
RUN apt-get update && apt-get install -y --no-install-recommends libpq5 libyaml-0-2 libsqlite3-0 libmariadb3 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 app
ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test BUNDLE_PATH=/usr/local/bundle RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 PORT=3000
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["bundle", "exec", "rails", "server", "-b", "0.0.0.0"]
