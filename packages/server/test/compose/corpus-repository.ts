import type { FileMap } from '../../testing/harness/git-server.ts'
import { NPM_IMAGE } from '../../testing/images/node-image.ts'
import { STAND_IN_IMAGE } from '../../testing/images/stack-images.ts'
import type { CorpusFile } from './corpus.ts'

const program = (text: string) => ({ text: `#!/bin/sh\n${text}\n`, mode: 0o755 })

/** Answers with its name once it has reached the database, if it has one. */
const NODE_SERVER = (name: string, port: number) => `import { connect } from 'node:net'
import { createServer } from 'node:http'
const url = process.env.DATABASE_URL
createServer((request, response) => {
  if (url === undefined) return void response.end(${JSON.stringify(name)})
  const socket = connect({ host: new URL(url).hostname, port: 5432 })
  socket.on('connect', () => { socket.destroy(); response.end(${JSON.stringify(name)}) })
  socket.on('error', (error) => response.writeHead(502).end(String(error)))
}).listen(${port})
`

/** Where the service that is built listens: behind nginx at the port that it exposes, otherwise at the app's. */
function builtPort({ text, port, files }: CorpusFile): number {
  return files.includes('nginx/nginx.conf') ? Number(/expose: \["(\d+)"\]/.exec(text)?.[1]) : port
}

const isNode = ({ name }: CorpusFile): boolean => name.startsWith('Node:')

/** What any of the files of the corpus may ask of its code. */
function code(file: CorpusFile): FileMap {
  const port = builtPort(file)
  return {
    page: file.name,
    server: program('exec serve'),
    'bin/server': program('exec serve'),
    migrate: program('exec nc -w 5 db 5432 < /dev/null'), // fails unless the database is there
    work: program("trap 'exit 0' TERM; while true; do sleep 1 & wait; done"),
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.mjs', test: 'true' } }),
    'server.mjs': NODE_SERVER(file.name, port),
  }
}

function dockerfile(file: CorpusFile, path: string): string {
  const lines = isNode(file)
    ? [`FROM ${NPM_IMAGE} AS dev`, 'WORKDIR /app', 'COPY . /app']
    : [
        `FROM ${STAND_IN_IMAGE} AS dev`,
        'WORKDIR /app',
        'COPY . /app',
        path.includes('/') && !path.startsWith('docker/') ? 'COPY page /www/index.html' : 'RUN cp /app/page /www/index.html',
        `ENV STAND_IN_PORT=${builtPort(file)}`,
      ]
  return [...lines, ''].join('\n')
}

/** A file or, with a slash at its end, a folder that the line above a compose file names. */
function named(file: CorpusFile, path: string): FileMap {
  const { name } = file
  if (path.endsWith('Dockerfile')) {
    const folder = path.startsWith('docker/') ? '' : path.slice(0, -'Dockerfile'.length)
    return { [path]: dockerfile(file, path), [`${folder}page`]: name }
  }
  if (path === 'nginx/nginx.conf') return { [path]: 'user root;\nevents {}\nhttp { include /etc/nginx/conf.d/*.conf; }\n' }
  if (path === 'nginx/conf.d/')
    return { [`${path}default.conf`]: `server { listen 80; location / { proxy_pass http://web:${builtPort(file)}; } }\n` }
  if (path.endsWith('.template'))
    return { [path]: 'server { listen ${NGINX_PORT}; server_name ${NGINX_HOST}; root /usr/share/nginx/html; }\n' }
  if (path === 'html/') return { 'html/index.html': name }
  if (path.endsWith('.sh')) return { [path]: program('exit 0') }
  if (path.endsWith('/')) return { [`${path}kept`]: 'a file' }
  return { [path]: path.endsWith('.env') ? 'A=1\n' : 'a file\n' }
}

/** The repository of a file of the corpus. */
export function repositoryOf(file: CorpusFile): FileMap {
  const files = file.files.filter((path) => path !== '').map((path) => named(file, path))
  return Object.assign({ 'compose.yaml': file.text, ...code(file) }, ...files) as FileMap // its parts are
}
