import type { HeaderRule } from './headers.ts'
import type { Redirect } from './redirects.ts'

type Site = {
  readonly port: number
  /** A path without a file is a route of the app, so it gets index.html. */
  readonly isSinglePage: boolean
  readonly redirects: readonly Redirect[]
  readonly headers: readonly HeaderRule[]
}

export const SITE_ROOT = '/usr/share/nginx/html'

const ENDINGS = String.raw`\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|wasm|mp4|webm)$`
/**
 * A name that changes with the content ends in a hash: hexadecimal, of capitals and digits, or of all letters with a digit inside. A word, a
 * word with a number and a date are none: to keep them for a year would be wrong, and not to keep a hash only costs a question.
 */
const HASHED = [
  '(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,64}',
  '(?=[A-Z]*[0-9])(?=[0-9]*[A-Z])[A-Z0-9]{8}',
  '(?=[A-Za-z_-]*[0-9]+[A-Za-z_-])(?=[^./]*[A-Z])(?=[^./]*[a-z])[A-Za-z0-9_-]{8,12}',
].map((hash) => `"~[-.]${hash}${ENDINGS}"`)
/** Where Vite puts what it names. */
const IN_ASSETS = `"~/assets/[^/]*-(?=[^./]*[A-Z0-9_])[A-Za-z0-9_-]{8}${ENDINGS}"`
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
    ...[...HASHED, IN_ASSETS].map((pattern) => `    ${pattern} "public, max-age=31536000, immutable";`),
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
    String.raw`    location ~ /(?:_headers|_redirects|Dockerfile\.berth|berth\.json)$ { return 404; }`,
    String.raw`    location ~ /\.(?!well-known/) { return 404; }`,
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

function follow({ status, target, isForced }: Redirect): string {
  if (status === 404 || status === 410) return `return ${status};`
  // A forced rule may match its own target, so the target is not looked up among the rules again.
  if (status === 200 && isForced) return `rewrite ^ "${target}" break; try_files $uri $uri.html $uri/ =404;`
  if (status === 200) return `rewrite ^ "${target}" last;`
  return `return ${status} "${target}$is_args$args";`
}
