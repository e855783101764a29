import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline, Readable } from 'node:stream'

export type GitServerMode =
  | { readonly kind: 'normal' }
  | { readonly kind: 'stall' }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Branches without end, until so many bytes are sent. */
  | { readonly kind: 'endless'; readonly maxBytes: number }
  | { readonly kind: 'error'; readonly status: number; readonly times: number }

/** A file's text or bytes, or `{ link }` for a symbolic link, or `{ text, mode }`. */
export type FileMap = Readonly<
  Record<string, string | Buffer | { readonly link: string } | { readonly text: string; readonly mode: number }>
>

/** A real git server: `git http-backend` behind HTTP, which can misbehave on demand. */
export async function startGitServer({ host = '127.0.0.1' } = {}) {
  const root = await mkdtemp(path.join(tmpdir(), 'berth-git-server-'))
  const requests: { url: string; authorization: string | undefined }[] = []
  let mode: GitServerMode = { kind: 'normal' }
  let failed = 0
  let advertised = 0

  const server = http.createServer((request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization })
    if (mode.kind === 'stall') return
    if (mode.kind === 'unauthorized' && request.headers.authorization === undefined) {
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    }
    if (mode.kind === 'redirect') return void response.writeHead(301, { location: mode.to + (request.url ?? '') }).end()
    if (mode.kind === 'endless') {
      response.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
      return void pipeline(
        endlessBranches(mode.maxBytes, (bytes) => (advertised = bytes)),
        response,
        () => undefined,
      )
    }
    if (mode.kind === 'error' && failed < mode.times) {
      failed += 1
      return void response.writeHead(mode.status).end()
    }
    backend(root, request, response)
  })
  server.listen(0, host)
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const origin = `http://${host}:${port}`

  /** A bare repository with one commit on `branch`. */
  async function createRepository(options: { files: FileMap; branch?: string; name?: string }) {
    const { branch = 'main', name = `repository-${Math.random().toString(36).slice(2, 10)}` } = options
    const bare = path.join(root, `${name}.git`)
    const work = path.join(root, 'work', name)
    await mkdir(work, { recursive: true })
    await git(root, ['init', '--quiet', '--bare', `--initial-branch=${branch}`, bare])
    await git(work, ['init', '--quiet', `--initial-branch=${branch}`])

    /** Adds the files on top of what is there (`clear` begins from nothing), and gives the hash. */
    async function commit(change: {
      files: FileMap
      message?: string
      author?: string
      branch?: string
      clear?: boolean
    }): Promise<string> {
      const to = change.branch ?? branch
      await git(work, ['checkout', '--quiet', '-B', to]).catch(() => git(work, ['symbolic-ref', 'HEAD', `refs/heads/${to}`]))
      if (change.clear === true) await git(work, ['rm', '-r', '--quiet', '--force', '--ignore-unmatch', '.'])
      await writeFiles(work, change.files)
      await git(work, ['add', '--all', '--force', '.'])
      const author = change.author === undefined ? [] : ['--author', `${change.author} <author@example.test>`]
      await git(work, ['commit', '--quiet', '--allow-empty', ...author, '-m', change.message ?? 'A change'])
      await git(work, ['push', '--quiet', '--force', bare, `HEAD:refs/heads/${to}`])
      return (await git(work, ['rev-parse', 'HEAD'])).trim()
    }

    const hash = await commit({ files: options.files, message: 'First commit' })
    return { url: `${origin}/${name}.git`, directory: bare, name, hash, commit, git: (args: readonly string[]) => git(bare, args) }
  }

  return {
    origin,
    port,
    requests,
    /** The bytes that the last `endless` answer took to send. */
    advertisedBytes: () => advertised,
    createRepository,
    setMode(next: GitServerMode): void {
      mode = next
      failed = 0
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(root, { recursive: true, force: true })
    },
  }
}

export type GitServer = Awaited<ReturnType<typeof startGitServer>>

function endlessBranches(maxBytes: number, onSent: (bytes: number) => void): Readable {
  const packet = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
  function* packets() {
    yield `${packet('# service=git-upload-pack\n')}0000${packet(`${'a'.repeat(40)} HEAD\0 multi_ack\n`)}`
    for (let sent = 0, n = 0; sent < maxBytes; n += 1) {
      const branch = packet(`${'b'.repeat(40)} refs/heads/${n}${'x'.repeat(60_000)}\n`)
      sent += branch.length
      onSent(sent)
      yield branch
    }
  }
  return Readable.from(packets())
}

function backend(root: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://git')
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      ...ENVIRONMENT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => undefined) // a backend that has read enough closes its end
  request.pipe(child.stdin)
  response.once('close', () => child.kill('SIGKILL'))
  let head = Buffer.alloc(0)
  child.stdout.on('data', function onHead(chunk: Buffer) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    child.stdout.off('data', onHead)
    const lines = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/:\s*/, 2))
    const status = Number.parseInt(lines.find(([key]) => key === 'Status')?.[1] ?? '200', 10)
    for (const [key = '', value = ''] of lines) if (key !== 'Status') response.setHeader(key, value)
    response.writeHead(status)
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  })
}

/** Where the machine's programs are. */
export const PROGRAM_PATH = process.env['PATH'] ?? '/usr/bin:/bin'

const ENVIRONMENT = {
  PATH: PROGRAM_PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada Tester',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada Tester',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const child = spawn('git', args, { cwd, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`git ${args[0]} failed: ${errors}`)
  return out
}

async function writeFiles(directory: string, files: FileMap): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name)
    await mkdir(path.dirname(file), { recursive: true })
    await rm(file, { force: true })
    if (typeof content === 'string' || Buffer.isBuffer(content)) await writeFile(file, content)
    else if ('link' in content) await symlink(content.link, file)
    else {
      await writeFile(file, content.text)
      await chmod(file, content.mode)
    }
  }
}
