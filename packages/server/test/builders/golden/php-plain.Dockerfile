FROM php:8.4-apache
RUN printf '%s\n' \
  'Listen ${PORT}' \
  > /etc/apache2/ports.conf
RUN printf '%s\n' \
  '<VirtualHost *:${PORT}>' \
  '  DocumentRoot /app' \
  '  <Directory /app>' \
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
COPY --chown=www-data:www-data . .
ENV PORT=3000
USER www-data
EXPOSE 3000
STOPSIGNAL SIGWINCH
CMD ["apache2-foreground"]
