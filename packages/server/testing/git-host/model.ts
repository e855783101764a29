import type { GitServer } from '../harness/git-server.ts'

export type Style = 'github' | 'gitlab' | 'gitea'
export type HostRepo = {
  id: number
  fullName: string
  isPrivate: boolean
  defaultBranch: string
  updatedAt: string
  git: Awaited<ReturnType<GitServer['createRepository']>> | undefined
  /** Commits that its branch left behind by force, where it has no git of its own. */
  rewritten: Set<string>
}
export type HostPerson = {
  id: number
  login: string
  token: string
  repositories: Set<number>
  isRevoked: boolean
  mayHook: boolean
  mayDeploy: boolean
  isInstallation?: boolean
  expiresAt?: number
}
type HostHook = { id: number; repositoryId: number; url: string; secret: string; events: string[] }

export type HostInstallation = { id: number; login: string; repositories: Set<number>; suspendedAt: string | null }
export type HostApp = {
  id: number
  slug: string
  name: string
  setupUrl: string
  hookUrl: string
  webhookSecret: string
  publicKey: string
  pem: string
  /** Good once, for the conversion of the manifest. */
  code: string
  installations: HostInstallation[]
}
type HostStatus = { repositoryId: number; commit: string; name: string; state: string; description: string; url: string }

type HostDeployment = { id: number; repositoryId: number; commit: string; environment: string; statuses: Record<string, string>[] }

/** Everything that the host knows. */
export type Model = {
  style: Style
  /** Where the host is, filled in once it listens. */
  origin: string
  repositories: Map<number, HostRepo>
  people: HostPerson[]
  hooks: HostHook[]
  statuses: HostStatus[]
  deployments: HostDeployment[]
  apps: HostApp[]
  /** What is chosen on the page of an app. */
  nextInstall: { login: string; repositories: number[] }
  /** How long the tokens of installations are good. */
  tokenLifeMs: number
  /** Goes on with every push, in seconds since 1970. */
  clock: number
}

export type Asked = { method: string; path: string[]; query: URLSearchParams; body: Record<string, unknown>; person: HostPerson }
export type Answered = { status: number; body?: unknown; headers?: Record<string, string> }

export const NOT_FOUND: Answered = { status: 404, body: { message: 'Not Found', documentation_url: 'https://docs.example.test/rest' } }

export function visibleTo(model: Model, person: HostPerson): HostRepo[] {
  return [...model.repositories.values()].filter(({ id }) => person.repositories.has(id))
}

/** A page of a list, with the headers of the hosts: a Link, and the numbers that GitLab and Gitea add. */
export function page<Item>(
  model: Model,
  asked: Pick<Asked, 'query' | 'path'>,
  items: readonly Item[],
  size: { name: string; most: number },
): Answered {
  const perPage = Math.min(size.most, Number(asked.query.get(size.name) ?? 20))
  const number = Number(asked.query.get('page') ?? 1)
  const last = Math.max(1, Math.ceil(items.length / perPage))
  const address = (to: number) => {
    const query = new URLSearchParams(asked.query)
    query.set('page', String(to))
    return `<${model.origin}/${asked.path.join('/')}?${query.toString()}>`
  }
  const links = [
    ...(number < last ? [`${address(number + 1)}; rel="next"`, `${address(last)}; rel="last"`] : []),
    ...(number > 1 ? [`${address(1)}; rel="first"`, `${address(number - 1)}; rel="prev"`] : []),
  ]
  const numbers = { 'x-page': String(number), 'x-next-page': number < last ? String(number + 1) : '', 'x-total': String(items.length) }
  return {
    status: 200,
    body: items.slice((number - 1) * perPage, number * perPage),
    headers: {
      ...(links.length > 0 && model.style !== 'gitlab' && { link: links.join(', ') }),
      ...(model.style === 'gitlab' && numbers),
      ...(model.style === 'gitea' && { 'x-total-count': String(items.length) }),
    },
  }
}

/** Adds and removes webhooks; what they are called differs, and who may is the same everywhere. */
export function hookApi(
  model: Model,
  asked: Asked,
  wanted: { repo: HostRepo; id: string; config: Record<string, unknown>; secret: unknown },
): Answered {
  const { repo, id, config, secret } = wanted
  if (!asked.person.mayHook) return { status: 403, body: { message: 'Resource not accessible by this token' } }
  if (asked.method === 'DELETE') {
    const at = model.hooks.findIndex((hook) => String(hook.id) === id && hook.repositoryId === repo.id)
    if (at === -1) return NOT_FOUND
    model.hooks.splice(at, 1)
    return { status: 204 }
  }
  if (asked.method === 'GET') {
    const list = model.hooks.filter(({ repositoryId }) => repositoryId === repo.id)
    const shown = list.map(({ id: hookId, url, events }) => {
      const place = model.style === 'gitlab' ? { url } : { config: { url, secret: '********' } }
      return { id: hookId, active: true, events, ...place }
    })
    return page(model, asked, shown, model.style === 'gitea' ? { name: 'limit', most: 50 } : { name: 'per_page', most: 100 })
  }
  const isThere = model.hooks.some(({ repositoryId, url }) => repositoryId === repo.id && url === config['url'])
  if (model.style === 'github' && isThere)
    return {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ resource: 'Hook', message: 'Hook already exists on this repository' }] },
    }
  const hook = {
    id: 5000 + Math.floor(Math.random() * 1e9),
    repositoryId: repo.id,
    url: String(config['url']),
    secret: String(secret),
    events: ['push'],
  }
  model.hooks.push(hook)
  return {
    status: 201,
    body: { ...asked.body, id: hook.id, config: { ...config, secret: '********' }, active: true, created_at: repo.updatedAt },
  }
}

export async function branchesOf(repo: HostRepo): Promise<{ name: string; commit: string }[]> {
  const text = (await repo.git?.git(['for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads'])) ?? ''
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', commit = ''] = line.split(' ')
      return { name, commit }
    })
}

/** Whether the newer one has the older one in its history. */
export async function isAncestor(repo: HostRepo, older: string, newer: string): Promise<boolean> {
  if (!repo.git) return !repo.rewritten.has(newer)
  const range = await repo.git.git(['rev-list', '--count', `${newer}..${older}`]).catch(() => '1')
  return range.trim() === '0'
}
