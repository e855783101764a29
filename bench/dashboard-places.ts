import type { BrowserLab } from '../e2e/browser-lab.ts'
import { deliveryHeaders, pushPayload } from '../packages/server/testing/git-host/payloads.ts'
import type { GitHostServer } from '../packages/server/testing/git-host/start-git-host.ts'
import type { ImageRegistry } from '../packages/server/testing/harness/image-registry.ts'
import { BUSYBOX_IMAGE, httpdApp } from '../packages/server/testing/images/test-images.ts'
import { until } from '../packages/server/testing/labs/deploy-lab.ts'

type Owner = Awaited<ReturnType<BrowserLab['berth']['owner']>>
type Places = { host: GitHostServer; registry: ImageRegistry }

const COMPOSE = `services:
  web:
    image: ${BUSYBOX_IMAGE}
    command: ["sh", "-c", "mkdir -p /www && echo hello > /www/index.html && exec httpd -f -p 8080 -h /www"]
    expose: ["8080"]
    depends_on: [db]
  worker:
    image: ${BUSYBOX_IMAGE}
    command: ["sh", "-c", "while :; do echo working; sleep 2; done"]
    environment:
      QUEUE: \${QUEUE_NAME:-mail}
  db:
    image: ${BUSYBOX_IMAGE}
    command: ["sleep", "100000"]
    ports: ["5432:5432"]
    volumes: ["data:/var/lib/data"]
volumes:
  data: {}
`

async function ended(owner: Owner, id: number): Promise<void> {
  await until(
    () => owner.call('deployments.get', { id }),
    ({ status }) => ['success', 'failed', 'stopped'].includes(status),
  )
}

async function makeStack(owner: Owner, projectId: number) {
  const stack = await owner.call('apps.create', { name: 'analytics', projectId, appType: 'compose', port: null })
  await owner.call('stacks.setFile', { appId: stack.id, composeFile: COMPOSE })
  await owner.call('stacks.openPort', { appId: stack.id, service: 'db', port: 5432, hostPort: 15_432 })
  const { id } = await owner.call('deployments.create', { appId: stack.id })
  await ended(owner, id)
  return { stack, stackDeployment: id }
}

/** A private repository that deploys on push: one push that deploys, and one that does not. */
async function makePushed(lab: BrowserLab, owner: Owner, { host, projectId }: { host: GitHostServer; projectId: number }) {
  const robot = host.addPerson('acme-robot', 'a-good-token')
  for (const name of ['acme/blog', 'acme/wiki', 'acme/design-system']) await host.addRepository(name, [robot])
  const repo = await host.addRepository('acme/checkout', [robot], httpdApp({ body: 'one' }))
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
  const account = await owner.call('git.createAccount', { provider: 'github', token: 'a-good-token', baseUrl: host.origin, projectId })
  const source = { gitProviderId: account.id, gitRepository: 'acme/checkout', gitBranch: 'main' }
  const pushed = await owner.call('apps.create', { name: 'checkout', projectId, ...source })
  const hook = await until(
    () => host.model.hooks.find(({ repositoryId }) => repositoryId === repo.id),
    (found) => found !== undefined,
  )
  if (hook === undefined) throw new Error('the hook is there')
  for (const message of ['Take gift cards', 'Fix a typo [skip ci]']) {
    await repo.git?.commit({ files: httpdApp({ body: message }), message })
    const commit = (await repo.git?.git(['rev-parse', 'main']))?.trim() ?? ''
    const body = JSON.stringify(pushPayload(host.model, { repo, commit, message }))
    const { pathname, search } = new URL(hook.url) // at the domain of the dashboard, which has no address here
    const headers = deliveryHeaders(host.model, { secret: hook.secret, body })
    await fetch(`${lab.berth.baseUrl}${pathname}${search}`, { method: 'POST', headers, body })
  }
  return { account, pushed }
}

/** A repository without a Dockerfile, a volume, files, several containers: what the pages beside the plain ones show. */
async function makeDetected(lab: BrowserLab, owner: Owner, projectId: number) {
  const files = {
    'package.json': JSON.stringify({ name: 'api', engines: { node: '22' }, scripts: { build: 'node -v', start: 'node server.js' } }),
    'server.js':
      "console.log(JSON.stringify({level:'info',msg:'listening',port:process.env.PORT}));require('node:http').createServer((_, a) => a.end('x')).listen(process.env.PORT)",
  }
  const detectable = await lab.git.createRepository({ files })
  const api = await owner.call('apps.create', {
    name: 'api',
    projectId,
    gitCloneUrl: detectable.url,
    replicas: 3,
    buildSecrets: { NPM_TOKEN: 'secret' },
    volumes: [
      { name: 'uploads', path: '/app/uploads', shareable: true },
      { name: 'cache', path: '/app/cache', shareable: true },
    ],
    envVars: { DATABASE_URL: '${{orders-db.URL}}', REGION: '${{project.REGION}}', PUBLIC_URL: 'https://shop.example.com' },
  })
  await owner.call('files.save', { appId: api.id, path: '/app/config/production.json', content: '{"currency": "EUR"}\n' })
  await owner.call('files.save', { appId: api.id, path: '/app/config/feature-flags.yaml', content: 'search: true\n' })
  const { id } = await owner.call('deployments.create', { appId: api.id })
  await ended(owner, id)
  return { api, apiDeployment: id, detectable }
}

/** One main process and others beside it: one from the Procfile, one from the settings, and one that runs none for now. */
async function makeProcesses(lab: BrowserLab, owner: Owner, projectId: number) {
  const repository = await lab.git.createRepository({
    files: {
      ...httpdApp({ body: 'jobs' }),
      Procfile: "worker: sh -c 'while :; do echo sent 12 mails; sleep 2; done'\n",
    },
  })
  const processes = [
    { name: 'worker', replicas: 2 },
    { name: 'scheduler', command: "sh -c 'while :; do echo next run in 5 minutes; sleep 3; done'" },
    { name: 'import', command: 'sh /import.sh --all --since=yesterday', replicas: 0 },
  ]
  const jobs = await owner.call('apps.create', { name: 'jobs', projectId, gitCloneUrl: repository.url, processes })
  const { id } = await owner.call('deployments.create', { appId: jobs.id })
  await ended(owner, id)
  return { jobs, jobsDeployment: id, withProcfile: repository }
}

/** On a busy machine the registry may answer too late. */
async function addRegistry(owner: Owner, registry: { host: string; username: string; password: string; projectId?: number }) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await owner.call('registries.create', registry)
    } catch (cause) {
      if (tries === 10 || !String(cause).includes('does not answer')) throw cause
    }
  }
}

/** Git accounts, registries, stacks, storage and backups. */
export async function makePlaces(lab: BrowserLab, { host, registry }: Places, projectId: number) {
  const owner = await lab.berth.owner()
  await owner.call('projectEnvs.replace', {
    projectId,
    variables: [
      { key: 'REGION', value: 'eu-central' },
      { key: 'SENTRY_DSN', value: 'https://abc@sentry.example.com/1' },
    ],
  })
  await registry.setPassword('ada', 'ada-has-this-password')
  const credentials = { host: registry.host, username: 'ada', password: 'ada-has-this-password' }
  await addRegistry(owner, credentials)
  await addRegistry(owner, { ...credentials, projectId })
  await owner.call('backups.create')
  return {
    ...(await makeStack(owner, projectId)),
    ...(await makePushed(lab, owner, { host, projectId })),
    ...(await makeDetected(lab, owner, projectId)),
    ...(await makeProcesses(lab, owner, projectId)),
  }
}
