import type { TSchema } from 'typebox'

type Node = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: TSchema[]
  items?: TSchema
  properties?: Record<string, TSchema>
  format?: string
  minimum?: number
  minLength?: number
  pattern?: string
}

/** Example values of text fields, by name. Fields not listed here use their own name. */
const TEXTS: Readonly<Record<string, string>> = {
  actorEmail: 'you@example.com',
  address: '203.0.113.7',
  certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  acmeDirectory: '',
  acmeEmail: 'you@example.com',
  action: 'app.update',
  addresses: '203.0.113.7',
  automaticDomain: 'sslip.io',
  cloneUrl: 'https://git.example.com/shop/web.git',
  commit: '3f2c1b7e9d8a6c5b4f3e2d1c0b9a8f7e6d5c4b3a',
  commit_hash: '3f2c1b7e9d8a6c5b4f3e2d1c0b9a8f7e6d5c4b3a',
  commit_message: 'Fix the cart',
  commit_author: 'Ada',
  currentPassword: 'correct horse battery',
  dashboardDomain: 'berth.example.com',
  defaultBranch: 'main',
  description: 'The shop',
  dnsError: '',
  dockerfilePath: 'Dockerfile',
  dockerfile_path: 'Dockerfile',
  domain: 'shop.example.com',
  domains: 'shop.example.com',
  email: 'you@example.com',
  emails: 'you@example.com',
  error: '',
  error_message: '',
  fullName: 'shop/web',
  gitBranch: 'main',
  gitCloneUrl: 'https://git.example.com/shop/web.git',
  gitRepository: 'shop/web',
  git_branch: 'main',
  git_clone_url: 'https://git.example.com/shop/web.git',
  git_repository: 'shop/web',
  healthcheckPath: '/healthz',
  healthcheck_path: '/healthz',
  host: 'database',
  id: '5f0c8a1e9b7d4c6f8a2e3b1d0c9f7a6e',
  key: 'GREETING',
  latest: '0.1.0',
  current: '0.1.0',
  mode: '0444',
  name: 'web',
  newPassword: 'correct horse battery',
  password: 'correct horse battery',
  path: '/app/data',
  privateKey: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
  repoFullName: 'shop/web',
  rootDirectory: '',
  root_directory: '',
  serverId: '4f1c9a07be',
  serverIds: '4f1c9a07be',
  since: '2026-01-31T12:00:00Z',
  slug: 'web',
  sslError: '',
  status_reason: '',
  tags: 'shop',
  token: 'a-token-of-the-git-host',
  templateName: 'postgresql',
  template_name: '',
  updateFeed: 'https://updates.example.com',
  updateWindow: '02:00-05:00',
  url: 'https://shop.example.com',
  value: 'Hello',
  version: '0.1.0',
  wildcardDomain: 'apps.example.com',
}

/** A realistic value that matches a schema. */
export function exampleOf(schema: TSchema, field = ''): unknown {
  const node: Node = schema
  if (node.const !== undefined) return node.const
  if (node.enum) return node.enum.find((word) => word !== '') ?? node.enum[0]
  const [first] = node.anyOf ?? []
  if (first) return exampleOf(first, field)
  if (node.type === 'array') return node.items ? [exampleOf(node.items, field)] : []
  if (node.type === 'object') return objectOf(node)
  if (node.type === 'integer' || node.type === 'number') return field === 'port' ? 8080 : Math.max(node.minimum ?? 0, 1)
  if (node.type === 'boolean') return true
  if (node.type === 'string') return node.format === 'date-time' ? '2026-01-31T12:00:00Z' : (TEXTS[field] ?? field)
  return null
}

function objectOf(node: Node): Record<string, unknown> {
  const fields = Object.entries(node.properties ?? {})
  return Object.fromEntries(fields.map(([name, property]) => [name, exampleOf(property, name)]))
}

/** Only the required fields of a request. */
export function requestExampleOf(schema: { required?: string[]; properties?: Record<string, TSchema> }): Record<string, unknown> {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {})
  const chosen = fields.filter(([name]) => required.has(name))
  return Object.fromEntries(chosen.map(([name, property]) => [name, exampleOf(property, name)]))
}
