import { createVerify, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type http from 'node:http'
import { gitHubUser } from './github-api.ts'
import { type Answered, type HostApp, type HostInstallation, type HostPerson, type Model, NOT_FOUND, page } from './model.ts'

type Manifest = { name: string; redirect_url: string; setup_url: string; hook_attributes: { url: string } }
type AskedByApp = {
  method: string
  path: string[]
  query: URLSearchParams
  body: Record<string, unknown>
  authorization: string
}

const PERMISSIONS = { contents: 'read', metadata: 'read', statuses: 'write', deployments: 'write' }
/** All apps have the same, because making one takes a second. */
let keys: { publicKey: KeyObject; privateKey: KeyObject } | undefined
const ISO = '2026-01-02T03:04:05Z'

/** What somebody does at GitHub in the browser: the form with the manifest is posted, and "Create" is clicked. */
export function createFromManifest(model: Model, state: string, text: string): Answered {
  const manifest = JSON.parse(text) as Manifest // as our own server makes it; what GitHub requires is looked at here
  for (const address of [manifest.redirect_url, manifest.setup_url, manifest.hook_attributes.url]) new URL(address)
  if (manifest.name.length > 34) return { status: 422, body: { message: 'Name is too long (maximum is 34 characters)' } }
  const { publicKey, privateKey } = (keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 }))
  const app: HostApp = {
    id: 3_000_000 + model.apps.length,
    slug: manifest.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    name: manifest.name,
    setupUrl: manifest.setup_url,
    hookUrl: manifest.hook_attributes.url,
    webhookSecret: randomBytes(20).toString('hex'),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(), // the form that GitHub gives
    code: randomBytes(20).toString('hex'),
    installations: [],
  }
  model.apps.push(app)
  return { status: 302, headers: { location: `${manifest.redirect_url}?code=${app.code}&state=${encodeURIComponent(state)}` } }
}

/** The page of an app, on which "Install" is clicked for everything that the owner has chosen. */
export function installFromPage(model: Model, slug: string, state: string): Answered {
  const app = model.apps.find((each) => each.slug === slug)
  if (!app) return NOT_FOUND
  const { id } = install(model, app, model.nextInstall)
  const query = new URLSearchParams({ installation_id: String(id), setup_action: 'install', state })
  return { status: 302, headers: { location: `${app.setupUrl}?${query.toString()}` } }
}

export function install(model: Model, app: HostApp, choice: { login: string; repositories: readonly number[] }): HostInstallation {
  const id = 70_000_000 + model.apps.reduce((sum, { installations }) => sum + installations.length, 0)
  const installation = { id, login: choice.login, repositories: new Set(choice.repositories), suspendedAt: null }
  app.installations.push(installation)
  return installation
}

export function gitHubInstallation(model: Model, app: HostApp, { id, login, suspendedAt }: HostInstallation) {
  const api = `${model.origin}/api/v3/app/installations/${id}`
  return {
    id,
    account: gitHubUser(model, login, 9),
    repository_selection: 'selected',
    access_tokens_url: `${api}/access_tokens`,
    repositories_url: `${model.origin}/api/v3/installation/repositories`,
    html_url: `${model.origin}/organizations/${login}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    client_id: 'Iv23liExample',
    target_id: 9,
    target_type: 'Organization',
    permissions: PERMISSIONS,
    events: ['push'],
    created_at: ISO,
    updated_at: ISO,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedAt === null ? null : gitHubUser(model, login, 9),
    suspended_at: suspendedAt,
  }
}

function gitHubApp(model: Model, app: HostApp) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: `A_${app.id}`,
    client_id: 'Iv23liExample',
    owner: gitHubUser(model, 'acme', 9),
    name: app.name,
    description: '',
    external_url: 'https://berth.example.com',
    html_url: `${model.origin}/github-apps/${app.slug}`,
    created_at: ISO,
    updated_at: ISO,
    permissions: PERMISSIONS,
    events: ['push'],
    installations_count: app.installations.length,
  }
}

const BAD_JWT: Answered = {
  status: 401,
  body: { message: 'A JSON web token could not be decoded', documentation_url: 'https://docs.github.com/rest' },
}

const UNKNOWN_APP: Answered = {
  status: 404,
  body: { message: 'Integration not found', documentation_url: 'https://docs.github.com/rest', status: '404' },
}

/** As GitHub looks at it: RS256 by the app's own key, not from the future, and good for ten minutes at most. */
function appOfJwt(model: Model, authorization: string): HostApp | 'unknown' | undefined {
  const [head = '', claims = '', signature = ''] = authorization.replace(/^bearer /i, '').split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown> // looked at below
  try {
    const { iss, iat, exp } = read(claims)
    const app = model.apps.find(({ id }) => String(id) === String(iss))
    const now = Math.floor(Date.now() / 1000)
    const isTimely = Number(iat) <= now && Number(exp) > now && Number(exp) - now <= 600
    if (read(head)['alg'] !== 'RS256' || !isTimely) return undefined
    if (!app) return 'unknown'
    return createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(app.publicKey, signature, 'base64url') ? app : undefined
  } catch {
    return undefined
  }
}

/** The part of GitHub's API that is for apps; undefined for everything else. */
export function gitHubAppApi(model: Model, asked: AskedByApp): Answered | undefined {
  const [, , area = '', thing = '', which = '', part = ''] = asked.path
  if (area === 'app-manifests') {
    const app = model.apps.find(({ code }) => code !== '' && code === thing)
    if (!app || asked.method !== 'POST' || which !== 'conversions') return NOT_FOUND
    app.code = '' // it is good once
    const secrets = { client_secret: 'a-client-secret', webhook_secret: app.webhookSecret, pem: app.pem }
    return { status: 201, body: { ...gitHubApp(model, app), ...secrets } }
  }
  if (area !== 'app') return undefined
  const app = appOfJwt(model, asked.authorization)
  if (!app) return BAD_JWT
  if (app === 'unknown') return UNKNOWN_APP
  if (thing === '') return { status: 200, body: gitHubApp(model, app) }
  if (thing === 'hook' && asked.method === 'PATCH') {
    app.hookUrl = String(asked.body['url'])
    return { status: 200, body: { content_type: 'json', insecure_ssl: '0', secret: '********', url: app.hookUrl } }
  }
  if (thing !== 'installations') return NOT_FOUND
  if (which === '') {
    const list = app.installations.map((each) => gitHubInstallation(model, app, each))
    return page(model, asked, list, { name: 'per_page', most: 100 })
  }
  const installation = app.installations.find(({ id }) => String(id) === which)
  if (!installation) return NOT_FOUND
  if (part === '') return { status: 200, body: gitHubInstallation(model, app, installation) }
  return part === 'access_tokens' && asked.method === 'POST' ? newToken(model, installation) : NOT_FOUND
}

function newToken(model: Model, installation: HostInstallation): Answered {
  if (installation.suspendedAt !== null) return { status: 403, body: { message: 'This installation has been suspended', status: '403' } }
  const token = `ghs_${randomBytes(18).toString('hex')}`
  const { id, login, repositories } = installation
  const expiresAt = Date.now() + model.tokenLifeMs
  const holder: HostPerson = {
    id,
    login,
    token,
    repositories,
    isRevoked: false,
    mayHook: false,
    mayDeploy: true,
    isInstallation: true,
    expiresAt,
  }
  model.people.push(holder)
  const expires_at = new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z')
  return { status: 201, body: { token, expires_at, permissions: PERMISSIONS, repository_selection: 'selected' } }
}

/** What a form of a browser posts. */
export function formField(request: http.IncomingMessage, body: string, name: string): string | undefined {
  const isForm = String(request.headers['content-type']).startsWith('application/x-www-form-urlencoded')
  return isForm ? (new URLSearchParams(body).get(name) ?? undefined) : undefined
}
