FROM node:24-slim AS assets
WORKDIR /app
COPY . .
RUN --mount=type=cache,target=/root/.npm npm install
RUN npm run build

FROM php:8.4-apache
COPY --from=mlocati/php-extension-installer:2 /usr/bin/install-php-extensions /usr/local/bin/
RUN install-php-extensions gd intl opcache pdo_mysql pdo_pgsql zip
RUN printf '%s\n' \
  'Listen ${PORT}' \
  > /etc/apache2/ports.conf
RUN printf '%s\n' \
  '<VirtualHost *:${PORT}>' \
  '  DocumentRoot /app/public' \
  '  <Directory /app/public>' \
  '    AllowOverride All' \
  '    Require all granted' \
  '    FallbackResource /index.php' \
  '  </Directory>' \
  '  ErrorLog /dev/stderr' \
  '  CustomLog /dev/stdout combined' \
  '</VirtualHost>' \
  > /etc/apache2/sites-available/000-default.conf
RUN a2enmod rewrite
WORKDIR /app
COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer
COPY composer.json composer.lock ./
RUN --mount=type=cache,target=/root/.composer/cache composer install --no-dev --no-interaction --no-autoloader --no-scripts
COPY --chown=www-data:www-data . .
COPY --from=assets --chown=www-data:www-data /app/public public
RUN composer dump-autoload --no-dev --optimize --no-scripts
RUN mkdir -p storage/framework/cache storage/framework/sessions storage/framework/views bootstrap/cache && chown -R www-data:www-data storage bootstrap/cache
ENV PORT=3000
USER www-data
EXPOSE 3000
STOPSIGNAL SIGWINCH
CMD ["apache2-foreground"]
