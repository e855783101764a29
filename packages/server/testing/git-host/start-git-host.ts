import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type FileMap, type GitServer, startGitServer } from '../harness/git-server.ts'
import { ownCertificate } from '../harness/own-certificate.ts'
import { giteaApi } from './gitea-api.ts'
import { gitHubApi } from './github-api.ts'
import { createFromManifest, formField, gitHubAppApi, installFromPage } from './github-apps-api.ts'
import { gitLabApi } from './gitlab-api.ts'
import type { Answered, HostPerson, HostRepo, Model, Style } from './model.ts'

/** Misbehaviour of the API on demand; git has its own server behind it. */
export type Habit =
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | { readonly kind: 'silence' }
  /** Answers as always, once `until` is over. `onAsked` is told of each request. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown>; readonly onAsked: () => void }
  | { readonly kind: 'redirect'; readonly to: string }

const API = {
  github: { prefix: ['api', 'v3'], answer: gitHubApi },
  gitlab: { prefix: ['api', 'v4'], answer: gitLabApi },
  gitea: { prefix: ['api', 'v1'], answer: giteaApi },
} as const

/** One for all hosts of a test, so that a server which trusts one of them trusts them all. */
const { chain, key } = ownCertificate('localhost')

/** A git host over https at `localhost`: the documented API of a provider, and git over smart HTTP, behind the same tokens. */
export async function startGitHost(style: Style) {
  const git = await startGitServer()
  const directory = mkdtempSync(path.join(tmpdir(), 'berth-git-host-'))
  const caFile = path.join(directory, 'ca.pem')
  writeFileSync(caFile, chain)
  const model: Model = {
    style,
    origin: '',
    repositories: new Map(),
    people: [],
    hooks: [],
    statuses: [],
    deployments: [],
    apps: [],
    nextInstall: { login: 'acme', repositories: [] },
    tokenLifeMs: 3600_000,
    clock: 1_780_000_000,
  }
  const requests: { method: string; url: string; authorization: string }[] = []
  let habit: Habit | undefined

  const server = https.createServer({ cert: chain, key }, (request, response) => {
    const authorization = request.headers.authorization ?? String(request.headers['private-token'] ?? '')
    requests.push({ method: request.method ?? '', url: request.url ?? '', authorization })
    serve(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined))
  })
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  model.origin = `https://localhost:${port}`

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (habit?.kind === 'wait') {
      habit.onAsked()
      await habit.until
    }
    const isGit = /\.git\//.test(request.url ?? '')
    await (isGit ? serveGit({ model, gitOrigin: git.origin }, request, response) : serveApi(request, response))
  }

  async function serveApi(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await text(request)
    if (habit?.kind === 'silence') return
    if (habit?.kind === 'redirect') return send(response, { status: 301, headers: { location: habit.to + (request.url ?? '') } })
    if (habit?.kind === 'answer') return send(response, habit)
    const url = new URL(request.url ?? '/', model.origin)
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent)
    const early = style === 'github' ? answerForApps(model, request, { url, parts, body }) : undefined
    if (early) return send(response, early)
    const person = personOf(model, request.headers)
    if (!person) return send(response, UNAUTHORIZED[style])
    const { prefix, answer } = API[style]
    if (parts[0] !== prefix[0] || parts[1] !== prefix[1]) return send(response, { status: 404, body: {} })
    const given = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>) // what our own client sends
    send(response, await answer(model, { method: request.method ?? 'GET', path: parts, query: url.searchParams, body: given, person }))
  }

  return {
    origin: model.origin,
    host: 'localhost',
    port,
    caFile,
    model,
    requests,
    /** What a server needs to trust this host and to reach it. */
    env: { BERTH_CA_FILE: caFile, BERTH_PRIVATE_SOURCES: 'localhost' },
    ...createContents(model, git),
    setHabit: (next: Habit | undefined) => {
      habit = next
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.close()
      for (const socket of sockets) socket.destroy() // also those that are still shaking hands
      await once(server, 'close')
      await git[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** What the host has. */
function createContents(model: Model, git: GitServer) {
  let nextId = 1000
  return {
    addPerson(login: string, token: string): HostPerson {
      const person: HostPerson = {
        id: (nextId += 1),
        login,
        token,
        repositories: new Set(),
        isRevoked: false,
        mayHook: true,
        mayDeploy: true,
      }
      model.people.push(person)
      return person
    },
    async addRepository(fullName: string, seenBy: readonly HostPerson[], files?: FileMap): Promise<HostRepo> {
      const id = (nextId += 1)
      const own = files && (await git.createRepository({ files, name: `r${id}` }))
      const repo: HostRepo = {
        id,
        fullName,
        isPrivate: true,
        defaultBranch: 'main',
        updatedAt: '2026-01-02T03:04:05Z',
        git: own,
        rewritten: new Set(),
      }
      model.repositories.set(id, repo)
      for (const person of seenBy) person.repositories.add(id)
      return repo
    },
  }
}

export type GitHostServer = Awaited<ReturnType<typeof startGitHost>>

const UNAUTHORIZED: Record<Style, Answered> = {
  github: { status: 401, body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' } },
  gitlab: {
    status: 401,
    body: { error: 'invalid_token', error_description: 'Token was revoked. You have to re-authorize from the user.' },
  },
  gitea: { status: 401, body: { message: 'user does not exist [uid: 0, name: ]', url: '/api/swagger' } },
}

/** Pages that people open in the browser, and what only an app may ask. */
function answerForApps(
  model: Model,
  request: http.IncomingMessage,
  { url, parts, body }: { url: URL; parts: string[]; body: string },
): Answered | undefined {
  const state = url.searchParams.get('state') ?? ''
  const manifest = url.pathname.endsWith('/settings/apps/new') ? formField(request, body, 'manifest') : undefined
  if (manifest !== undefined) return createFromManifest(model, state, manifest)
  if (parts[0] === 'github-apps' && parts[2] === 'installations') return installFromPage(model, parts[1] ?? '', state)
  const given = body === '' || manifest !== undefined ? {} : (JSON.parse(body) as Record<string, unknown>) // what our own client sends
  const { authorization = '' } = request.headers
  return gitHubAppApi(model, { method: request.method ?? 'GET', path: parts, query: url.searchParams, body: given, authorization })
}

function send(response: http.ServerResponse, { status, headers, body }: Answered): void {
  const limits = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '1999999999' }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...limits, ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Git over smart HTTP: what is private needs a token of somebody who may see it. */
async function serveGit(
  { model, gitOrigin }: { model: Model; gitOrigin: string },
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const fullName = decodeURIComponent((request.url ?? '').slice(1).replace(/\.git\/.*$/, ''))
  const repo = [...model.repositories.values()].find((each) => each.fullName === fullName)
  const person = personByPassword(model, request.headers.authorization)
  const maySee = repo && (!repo.isPrivate || person?.repositories.has(repo.id))
  if (repo?.isPrivate && !person) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  if (!maySee) return void response.writeHead(404).end()
  const rest = (request.url ?? '').replace(/^.*?\.git\//, '')
  const { authorization: _own, host: _host, ...headers } = request.headers
  const passed = http.request(`${gitOrigin}/${repo.git?.name ?? ''}.git/${rest}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  passed.once('error', () => response.destroy())
  request.pipe(passed)
}

/** As each host takes a token: GitHub as Bearer, GitLab in a header of its own, Gitea after the word `token`. */
function personOf(model: Model, headers: http.IncomingHttpHeaders): HostPerson | undefined {
  const own = {
    github: /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
    gitlab: typeof headers['private-token'] === 'string' ? headers['private-token'] : undefined,
    gitea: /^token (.+)$/.exec(headers.authorization ?? '')?.[1],
  }[model.style]
  return model.people.find((person) => person.token === own && isGood(person))
}

function personByPassword(model: Model, authorization: string | undefined): HostPerson | undefined {
  const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? ''
  const password = Buffer.from(basic, 'base64').toString().split(':').slice(1).join(':')
  return model.people.find((person) => person.token === password && isGood(person))
}

function isGood({ isRevoked, expiresAt = Number.POSITIVE_INFINITY }: HostPerson): boolean {
  return !isRevoked && Date.now() < expiresAt
}
