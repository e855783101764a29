import { join } from 'node:path'

export const MAP_NAMES = ['targets', 'apps', 'hosts', 'challenges'] as const
export type MapName = (typeof MAP_NAMES)[number]

/** The paths of all files of the edge. HAProxy sees the same paths, because the directory is mounted under its own name. */
export function edgePaths(dir: string) {
  const map = (name: MapName) => join(dir, 'maps', `${name}.map`)
  return {
    dir,
    config: join(dir, 'haproxy.cfg'),
    socket: join(dir, 'run', 'haproxy.sock'),
    /** The socket of HAProxy's master process, which also knows the previous workers. */
    masterSocket: join(dir, 'run', 'master.sock'),
    runDir: join(dir, 'run'),
    mapsDir: join(dir, 'maps'),
    pagesDir: join(dir, 'pages'),
    certificatesDir: join(dir, 'certs'),
    /** Which backend of HAProxy checks a target. It is only read where there are other servers. */
    checks: join(dir, 'maps', 'checks.map'),
    certificateList: join(dir, 'certs', 'list.txt'),
    refusedCertificates: join(dir, 'certs', 'refused.txt'),
    placeholder: join(dir, 'certs', 'placeholder.pem'),
    map,
    page: (file: string) => join(dir, 'pages', file),
  }
}

export type EdgePaths = ReturnType<typeof edgePaths>
