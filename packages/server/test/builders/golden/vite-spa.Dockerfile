FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
ARG VITE_API_URL
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build
RUN test -f /app/site/index.html || { echo "The build did not create site/index.html. Set the output directory to where it writes the site."; exit 1; }

FROM nginx:1-alpine
RUN printf '%s\n' \
  'worker_processes 2;' \
  'pid /tmp/nginx.pid;' \
  'error_log stderr warn;' \
  'events { worker_connections 1024; }' \
  'http {' \
  '  include /etc/nginx/mime.types;' \
  '  default_type application/octet-stream;' \
  '  access_log off;' \
  '  server_tokens off;' \
  '  sendfile on;' \
  '  absolute_redirect off;' \
  '  client_body_temp_path /tmp/nginx-client_body;' \
  '  proxy_temp_path /tmp/nginx-proxy;' \
  '  fastcgi_temp_path /tmp/nginx-fastcgi;' \
  '  uwsgi_temp_path /tmp/nginx-uwsgi;' \
  '  scgi_temp_path /tmp/nginx-scgi;' \
  '  gzip_static on;' \
  '  gzip_vary on;' \
  '  map $uri $caching {' \
  '    default "no-cache";' \
  '    ~^/(?:_next/static|_app/immutable|_astro|_nuxt)/ "public, max-age=31536000, immutable";' \
  '    "~[-.](?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,64}\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$" "public, max-age=31536000, immutable";' \
  '    "~[-.](?=[A-Z]*[0-9])(?=[0-9]*[A-Z])[A-Z0-9]{8}\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$" "public, max-age=31536000, immutable";' \
  '    "~[-.](?=[A-Za-z_-]*[0-9]+[A-Za-z_-])(?=[^./]*[A-Z])(?=[^./]*[a-z])[A-Za-z0-9_-]{8,12}\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$" "public, max-age=31536000, immutable";' \
  '    "~/assets/[^/]*-(?=[^./]*[A-Z0-9_])[A-Za-z0-9_-]{8}\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$" "public, max-age=31536000, immutable";' \
  '  }' \
  '  map $uri $header_0 {' \
  '    default "";' \
  '    "~^/.*$" "DENY";' \
  '  }' \
  '  server {' \
  '    listen 3000;' \
  '    root /usr/share/nginx/html;' \
  '    index index.html;' \
  '    charset utf-8;' \
  '    add_header Cache-Control $caching;' \
  '    add_header X-Frame-Options $header_0 always;' \
  '    error_page 404 /404.html;' \
  '    error_page 403 = @missing;' \
  '    location ~ /(?:_headers|_redirects|Dockerfile\.berth|berth\.json)$ { return 404; }' \
  '    location ~ /\.(?!well-known/) { return 404; }' \
  '    location ~ "^/api(?:/(?<p_splat>[^\x00-\x20\x5c\x7f]*))?$" {' \
  '      return 307 "https://api.example.com/${p_splat}$is_args$args";' \
  '    }' \
  '    location / { try_files $uri $uri.html $uri/ @missing; }' \
  '    location @missing {' \
  '      if ($uri ~ "^/old(?:/(?<p_splat>[^\x00-\x20\x5c\x7f]*))?$") { return 302 "/new/${p_splat}$is_args$args"; }' \
  '      if (-f $document_root/404.html) { return 404; }' \
  '      if ($uri ~* "\.(?:css|js|mjs|map|json|xml|txt|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm|pdf)$") { return 404; }' \
  '      rewrite ^ /index.html last;' \
  '    }' \
  '  }' \
  '}' \
  > /etc/nginx/nginx.conf
COPY --from=build /app/site/ /usr/share/nginx/html/
RUN find /usr/share/nginx/html -type f -size +1k \( -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.mjs' -o -name '*.json' -o -name '*.map' -o -name '*.svg' -o -name '*.xml' -o -name '*.txt' -o -name '*.wasm' \) -exec gzip -k -f -9 {} +
USER 101:101
EXPOSE 3000
STOPSIGNAL SIGQUIT
ENTRYPOINT []
CMD ["nginx", "-g", "daemon off;"]
