import type { Engine } from '../../src/engine/engine.ts'
import { ensureNginxImage } from './base-images.ts'
import { ensurePostgresImage, ensureRedisImage, POSTGRES_IMAGE, POSTGRES_START, REDIS_IMAGE } from './database-images.ts'
import { ensureNpmImage } from './node-image.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox, type TarFiles } from './test-images.ts'

type Builder = Pick<Engine, 'images' | 'build'>
/** An image of a compose file, and the port that it serves on; null for one that only has to run. */
export type StackImage = { readonly name: string; readonly port: number | null }

export const STAND_IN_IMAGE = 'berth-test/stand-in:1'
const NGINX_BASE = 'berth-test/nginx:1'

/** Runs the command if it is a program of the image, as most start scripts do; otherwise it serves. */
const START = '#!/bin/sh\nif [ $# -gt 0 ] && command -v "$1" > /dev/null; then exec "$@"; fi\nexec serve\n'
const SERVE = `#!/bin/sh
if [ -n "\${STAND_IN_PORT:-}" ]; then exec httpd -f -p "$STAND_IN_PORT" -h /www; fi
trap 'exit 0' TERM
while true; do sleep 1 & wait; done
`
/** The steps of one of the files, of which the last one serves. */
const ENTRYPOINT = '#!/bin/sh\nif [ "$1" = db ]; then exit 0; fi\nexec serve\n'
/** Asks the URL among its arguments. */
const ASK = `#!/bin/sh
for each in "$@"; do case "$each" in http*) url=$each ;; esac; done
exec busybox wget -q -O /dev/null "$url"
`
const SERVERS = ['gunicorn', 'bundle', 'php-fpm', 'memcached']
const QUIET = ['mc', 'pg_isready']

function program(text: string): { bytes: Buffer; mode: number } {
  return { bytes: Buffer.from(text), mode: 0o755 }
}

/** Stands in for everything that cannot be had here: any server, and any program that asks one. */
async function ensureStandIn(engine: Builder): Promise<void> {
  await ensureBusybox(engine)
  if (await engine.images.exists(STAND_IN_IMAGE)) return
  await buildTestImage(engine, STAND_IN_IMAGE, {
    Dockerfile: [
      `FROM ${BUSYBOX_IMAGE}`,
      'COPY root/ /',
      'RUN rm -f /bin/wget && mv /bin/ask /bin/wget && ln -s wget /bin/curl && echo ok > /www/health',
      'RUN mkdir -p /www/api /etc && echo ok > /www/api/heartbeat && echo root:x:0:0::/root:/bin/sh > /etc/passwd',
      'ENTRYPOINT ["/bin/stand-in"]',
      'CMD []',
      '',
    ].join('\n'),
    'root/bin/stand-in': program(START),
    'root/bin/serve': program(SERVE),
    'root/bin/ask': program(ASK),
    'root/bin/bash': program('#!/bin/sh\nexec sh "$@"\n'),
    'root/entrypoint.sh': program(ENTRYPOINT),
    'root/cron.sh': program('#!/bin/sh\nexec serve\n'),
    ...Object.fromEntries(SERVERS.map((name) => [`root/bin/${name}`, program('#!/bin/sh\nexec serve\n')])),
    ...Object.fromEntries(QUIET.map((name) => [`root/bin/${name}`, program('#!/bin/sh\nexit 0\n')])),
  })
}

/** Fills in the templates of the settings, as the official image does, and starts. */
const NGINX_START = `#!/bin/sh
set -e
for file in /etc/nginx/templates/*.template; do
  if [ -f "$file" ]; then
    sed -e "s/[$]{NGINX_HOST}/\${NGINX_HOST:-}/g" -e "s/[$]{NGINX_PORT}/\${NGINX_PORT:-}/g" "$file" > "/etc/nginx/conf.d/$(basename "$file" .template)"
  fi
done
exec nginx -g 'daemon off;'
`
const NGINX_CONFIG = 'user root;\nevents {}\nhttp { include /etc/nginx/conf.d/*.conf; }\n'

function filesOf({ name, port }: StackImage): TarFiles {
  if (name.includes('/library/postgres:'))
    return { Dockerfile: `FROM ${POSTGRES_IMAGE}\nCOPY start /bin/start\n`, start: program(POSTGRES_START) }
  if (name.includes('/library/redis:')) return { Dockerfile: `FROM ${REDIS_IMAGE}\n` }
  if (name.includes('/library/nginx:'))
    return {
      Dockerfile: [
        `FROM ${NGINX_BASE}`,
        'COPY nginx.conf /etc/nginx/nginx.conf',
        'COPY start /bin/start',
        'RUN mkdir -p /etc/nginx/conf.d /run /var/lib/nginx && echo root:x:0:0::/root:/bin/sh > /etc/passwd && echo root:x:0: > /etc/group',
        'CMD ["/bin/start"]',
        '',
      ].join('\n'),
      'nginx.conf': NGINX_CONFIG,
      start: program(NGINX_START),
    }
  return {
    Dockerfile: `FROM ${STAND_IN_IMAGE}\nCOPY page /www/index.html\n${port === null ? '' : `ENV STAND_IN_PORT=${port}\n`}`,
    page: `this is ${name}`,
  }
}

/**
 * The images that compose files ask for, under their names: Debian's PostgreSQL, Redis and nginx, and for all others a stand-in that serves
 * or only runs. What was made here is removed at the end.
 */
export async function ensureStackImages(engine: Builder, wanted: readonly StackImage[]): Promise<AsyncDisposable> {
  await ensureStandIn(engine)
  await ensureNpmImage(engine)
  await ensurePostgresImage(engine)
  await ensureRedisImage(engine)
  await ensureNginxImage(engine, NGINX_BASE)
  const made: string[] = []
  for (const image of wanted) {
    if (await engine.images.exists(image.name)) continue
    await buildTestImage(engine, /:[^/]+$/.test(image.name) ? image.name : `${image.name}:latest`, filesOf(image))
    made.push(image.name)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const name of made) await engine.images.remove(name)
    },
  }
}
