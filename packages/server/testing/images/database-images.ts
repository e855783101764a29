import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Engine } from '../../src/engine/engine.ts'
import { findTemplate } from '../../src/features/templates/templates.ts'
import { filesBelow, librariesOf, type PackedFiles, packed } from '../harness/machine-files.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox, type TarFiles } from './test-images.ts'

type Builder = Pick<Engine, 'images' | 'build'>

export const REDIS_IMAGE = imageOf('redis')
export const POSTGRES_IMAGE = imageOf('postgresql')

/** The Redis template's image, made from the machine's own programs: no registry is needed. */
export async function ensureRedisImage(engine: Builder): Promise<void> {
  const programs = ['/usr/bin/redis-server', '/usr/bin/redis-cli']
  await ensureImage(engine, REDIS_IMAGE, async () => ({
    Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCOPY root/ /\n`,
    ...(await inBin(programs)),
    ...(await librariesOf(programs)).files,
  }))
}

/** The start script of the PostgreSQL image. */
export const POSTGRES_START = `#!/bin/sh
# Understands what the official image understands: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_HOST_AUTH_METHOD and PGDATA.
set -eu
export PGDATA="\${PGDATA:-/var/lib/postgresql/data}" POSTGRES_USER="\${POSTGRES_USER:-postgres}"
method="\${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}"
if [ -z "\${POSTGRES_PASSWORD:-}" ] && [ "$method" != trust ]; then echo 'POSTGRES_PASSWORD is not set' >&2; exit 1; fi
as() { su -s /bin/sh postgres -c "$1"; }
mkdir -p "$PGDATA" /var/run/postgresql
chown postgres "$PGDATA" /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf %s "\${POSTGRES_PASSWORD:-unused}" > /tmp/password
  chown postgres /tmp/password
  as 'initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 --no-locale -E UTF8'
  rm /tmp/password
  echo "host all all all $method" >> "$PGDATA/pg_hba.conf"
  echo 'create database app' | as 'postgres --single -D "$PGDATA" postgres' > /dev/null
fi
exec su -s /bin/sh postgres -c 'exec postgres -D "$PGDATA" -c listen_addresses="*"'
`

/** The PostgreSQL template's image, from the machine's own programs and a start script like the official one. */
export async function ensurePostgresImage(engine: Builder): Promise<void> {
  await ensureImage(engine, POSTGRES_IMAGE, async () => {
    const root = '/usr/lib/postgresql'
    const version = (await readdir(root)).toSorted((a, b) => Number(b) - Number(a))[0] ?? ''
    const bin = path.join(root, version, 'bin')
    const programs = ['postgres', 'initdb', 'psql', 'pg_isready'].map((name) => path.join(bin, name))
    const modules = await filesBelow(path.join(root, version, 'lib'), `root${root}/${version}/lib`, isModule)
    const loaded = Object.keys(modules).map((file) => file.slice('root'.length))
    return {
      Dockerfile: [
        `FROM ${BUSYBOX_IMAGE}`,
        'COPY root/ /',
        'RUN echo root:x:0:0::/root:/bin/sh > /etc/passwd && echo postgres:x:70:70::/tmp:/bin/sh >> /etc/passwd',
        `ENV PATH=${bin}:/bin`,
        'CMD ["/bin/start"]',
        '',
      ].join('\n'),
      'root/etc/group': { bytes: Buffer.from('root:x:0:\npostgres:x:70:\n'), mode: 0o644 },
      'root/bin/start': { bytes: Buffer.from(POSTGRES_START), mode: 0o755 },
      ...Object.fromEntries(await Promise.all(programs.map(async (file) => [`root${file}`, await packed(file)] as const))),
      ...modules,
      ...(await filesBelow(
        `/usr/share/postgresql/${version}`,
        `root/usr/share/postgresql/${version}`,
        (file) => !/\/(man|extension)\//.test(file) || /plpgsql/.test(file),
      )),
      ...(await filesBelow('/usr/share/zoneinfo/Etc', 'root/usr/share/zoneinfo/Etc')),
      ...(await librariesOf([...programs, ...loaded])).files,
    }
  })
}

/** Those that a new cluster loads; the rest, and the compiler of statements, would only make the image big. */
function isModule(file: string): boolean {
  return /\/(plpgsql|dict_snowball|libpqwalreceiver|utf8_and_[a-z0-9_]+)\.so$/.test(file)
}

function imageOf(template: string): string {
  return findTemplate(template)?.image ?? ''
}

async function inBin(programs: readonly string[]): Promise<PackedFiles> {
  return Object.fromEntries(
    await Promise.all(programs.map(async (file) => [`root/bin/${path.basename(file)}`, await packed(file)] as const)),
  )
}

async function ensureImage(engine: Builder, tag: string, files: () => Promise<TarFiles>): Promise<void> {
  await ensureBusybox(engine)
  if (!(await engine.images.exists(tag))) await buildTestImage(engine, tag, await files())
}
