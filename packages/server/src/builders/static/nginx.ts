import type { HeaderRule } from './headers.ts'
import type { Redirect } from './redirects.ts'

type Site = {
  readonly port: number
  /** A path without a file is a route of the application, so it gets index.html. */
  readonly isSinglePage: boolean
  readonly redirects: readonly Redirect[]
  readonly headers: readonly HeaderRule[]
}

export const SITE_ROOT = '/usr/share/nginx/html'

/** A file name with a content hash: at least eight characters with a digit, or with two capitals, before the extension. */
const HASHED = String.raw`"~[-.](?=[^./]*(?:[0-9]|[A-Z_][^./]*[A-Z_]))[A-Za-z0-9_-]{8,}\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$"`
const ASSET = String.raw`"\.(?:css|js|mjs|map|json|xml|txt|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm|pdf)$"`

/** A complete nginx.conf that works without root and writes only to /tmp. */
export function nginxConfig(site: Site): string[] {
  const own = site.headers.filter(({ name }) => name.toLowerCase() !== 'cache-control')
  const caching = site.headers.find(({ name }) => name.toLowerCase() === 'cache-control')?.values ?? []
  return [
    'worker_processes 2;',
    'pid /tmp/nginx.pid;',
    'error_log stderr warn;',
    'events { worker_connections 1024; }',
    'http {',
    '  include /etc/nginx/mime.types;',
    '  default_type application/octet-stream;',
    '  access_log off;',
    '  server_tokens off;',
    '  sendfile on;',
    '  absolute_redirect off;',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path /tmp/nginx-${name};`),
    '  gzip_static on;',
    '  gzip_vary on;',
    '  map $uri $caching {',
    '    default "no-cache";',
    ...caching.map(({ pattern, value }) => `    "~${pattern}" "${value}";`),
    '    ~^/(?:_next/static|_app/immutable|_astro|_nuxt)/ "public, max-age=31536000, immutable";',
    `    ${HASHED} "public, max-age=31536000, immutable";`,
    '  }',
    ...own.flatMap(({ values }, index) => [
      `  map $uri $header_${index} {`,
      '    default "";',
      ...values.map(({ pattern, value }) => `    "~${pattern}" "${value}";`),
      '  }',
    ]),
    ...server(site, own),
    '}',
  ]
}

function server({ port, isSinglePage, redirects }: Site, headers: readonly HeaderRule[]): string[] {
  const forced = redirects.filter(({ isForced }) => isForced)
  const others = redirects.filter(({ isForced }) => !isForced)
  return [
    '  server {',
    `    listen ${port};`,
    `    root ${SITE_ROOT};`,
    '    index index.html;',
    '    charset utf-8;',
    '    add_header Cache-Control $caching;',
    ...headers.map(({ name }, index) => `    add_header ${name} $header_${index} always;`),
    '    error_page 404 /404.html;',
    '    error_page 403 = @missing;',
    String.raw`    location ~ /(?:_headers|_redirects|\.git(?:/.*)?)$ { return 404; }`,
    ...forced.flatMap((rule) => [`    location ~ "${rule.pattern}" {`, `      ${follow(rule)}`, '    }']),
    '    location / { try_files $uri $uri.html $uri/ @missing; }',
    '    location @missing {',
    ...others.map((rule) => `      if ($uri ~ "${rule.pattern}") { ${follow(rule)} }`),
    ...(isSinglePage
      ? [
          '      if (-f $document_root/404.html) { return 404; }',
          `      if ($uri ~* ${ASSET}) { return 404; }`,
          '      rewrite ^ /index.html last;',
        ]
      : ['      return 404;']),
    '    }',
    '  }',
  ]
}

function follow({ status, target }: Redirect): string {
  if (status === 404 || status === 410) return `return ${status};`
  if (status === 200) return `rewrite ^ "${target}" last;`
  return `return ${status} "${target}$is_args$args";`
}
