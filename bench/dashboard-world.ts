import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserLab } from '../e2e/browser-lab.ts'
import { visit } from '../e2e/visit.ts'
import { PASSWORD } from '../packages/server/testing/harness/start-test-server.ts'
import { ensurePostgresImage, ensureRedisImage } from '../packages/server/testing/images/database-images.ts'
import { BUSYBOX_IMAGE } from '../packages/server/testing/images/test-images.ts'

type Owner = Awaited<ReturnType<BrowserLab['berth']['owner']>>

const TALK = [
  'n=0',
  'while :; do',
  '  n=$((n+1))',
  '  printf "\\033[32minfo\\033[0m  GET /articles/%s \\033[1m200\\033[0m in %s ms\\n" "$((n * 7 % 90))" "$((n % 23 + 4))"',
  '  [ $((n % 9)) = 0 ] && printf "\\033[33mwarn\\033[0m  cache missed for /articles/%s\\n" "$((n * 7 % 90))"',
  '  [ $((n % 25)) = 0 ] && printf "\\033[31merror\\033[0m payment provider answered 502, trying again\\n" >&2',
  '  usleep 700000',
  'done',
  '',
].join('\n')

function website(title: string): Record<string, string> {
  return {
    'talk.sh': TALK,
    'index.html': `<h1>${title}</h1>`,
    Dockerfile: [
      `FROM ${BUSYBOX_IMAGE}`,
      'COPY talk.sh /talk.sh',
      'COPY index.html /www/index.html',
      `RUN echo "installing 214 packages" && echo "compiled ${title}"`,
      'CMD sh /talk.sh & exec httpd -f -p "$PORT" -h /www',
      '',
    ].join('\n'),
  }
}

/** Against the live release one is added, one has another value, and one is gone. */
const WANTED_NEXT = [
  { key: 'PUBLIC_URL', value: 'https://shop.example.com' },
  { key: 'SESSION_SECRET', value: 'b5f1c0ffee' },
  { key: 'LOG_LEVEL', value: 'debug' },
  { key: 'FEATURE_SEARCH', value: 'beta' },
]

async function deploy(owner: Owner, appId: number): Promise<number> {
  const { id } = await owner.call('deployments.create', { appId })
  for (let waited = 0; waited < 240; waited += 1) {
    const { status } = await owner.call('deployments.get', { id })
    if (['success', 'failed', 'stopped'].includes(status)) return id
    await sleep(500)
  }
  throw new Error(`deployment ${id} did not end`)
}

async function shop(lab: BrowserLab, owner: Owner) {
  const project = await owner.call('projects.create', {
    name: 'Shop',
    description: 'The public shop with its workers and stores',
    tags: 'production,customers',
  })
  const repository = await lab.git.createRepository({ files: website('Shop 1') })
  const web = await owner.call('apps.create', {
    name: 'storefront',
    projectId: project.id,
    gitCloneUrl: repository.url,
    envVars: { PUBLIC_URL: 'https://shop.example.com', SESSION_SECRET: 'b5f1c0ffee', FEATURE_CHECKOUT: 'on', LOG_LEVEL: 'info' },
  })
  await owner.call('domains.create', { appId: web.id, domain: 'shop.example.com' })
  await owner.call('domains.create', { appId: web.id, domain: 'www.shop.example.com' })
  const first = await deploy(owner, web.id)
  await repository.commit({ files: website('Shop 2'), message: 'Show the delivery date in the basket' })
  await deploy(owner, web.id)
  await repository.commit({
    files: { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo "npm run build" && exit 1\n` },
    message: 'Upgrade the bundler',
  })
  const failed = await deploy(owner, web.id)
  await repository.commit({ files: website('Shop 3'), message: 'Pin the bundler; the build works again' })
  const live = await deploy(owner, web.id)
  const redis = await owner.call('apps.create', { name: 'cache', projectId: project.id, appType: 'database', templateName: 'redis' })
  const postgres = await owner.call('apps.create', {
    name: 'orders-db',
    projectId: project.id,
    appType: 'database',
    templateName: 'postgresql',
  })
  await deploy(owner, redis.id)
  await deploy(owner, postgres.id)
  return { project, repository, web, redis, postgres, first, failed, live }
}

/** A server that has been used for a while: apps of every kind and state, people, traffic, a deployment on its way. */
export async function makeWorld(lab: BrowserLab) {
  const owner = await lab.berth.owner()
  await ensureRedisImage(lab.engine)
  await ensurePostgresImage(lab.engine)
  for (const name of ['mia', 'sam']) await owner.call('users.create', { email: `${name}@example.test`, password: PASSWORD, role: 'user' })
  await owner.call('users.create', { email: 'kim@example.test', password: PASSWORD, role: 'admin' })
  const made = await shop(lab, owner)
  await owner.call('projects.members', { id: made.project.id, emails: ['owner@example.test', 'mia@example.test'] })
  const blog = await owner.call('projects.create', { name: 'Blog', description: 'Articles and the newsletter', tags: 'production' })
  const tools = await owner.call('projects.create', { name: 'Internal tools', tags: 'internal' })
  const empty = await owner.call('projects.create', { name: 'Sandbox' })
  const { url } = await lab.git.createRepository({ files: website('Articles') })
  const articles = await owner.call('apps.create', { name: 'articles', projectId: blog.id, gitCloneUrl: url })
  await owner.call('domains.create', { appId: articles.id, domain: 'blog.example.com' })
  const articlesRelease = await deploy(owner, articles.id)
  const worker = await owner.call('apps.create', {
    name: 'mailer',
    projectId: made.project.id,
    appType: 'service',
    gitCloneUrl: url,
    port: null,
  })
  await deploy(owner, worker.id)
  const crash = await lab.git.createRepository({ files: { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCMD echo "no DATABASE_URL" >&2; exit 1\n` } })
  const broken = await owner.call('apps.create', { name: 'reports', projectId: tools.id, gitCloneUrl: crash.url })
  await deploy(owner, broken.id)
  const fresh = await owner.call('apps.create', { name: 'wiki', projectId: tools.id })
  const slow = await lab.git.createRepository({
    files: { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN for n in 1 2 3 4 5; do echo "compiling module $n of 40"; done; sleep 900\n` },
  })
  const building = await owner.call('apps.create', { name: 'search', projectId: made.project.id, gitCloneUrl: slow.url })
  const running = await owner.call('deployments.create', { appId: building.id })
  for (let count = 0; count < 60; count += 1) await visit(lab.edgePort, 'shop.example.com', count % 20 === 19 ? '/gone' : '/')
  await owner.call('envs.replace', { appId: made.web.id, variables: WANTED_NEXT })
  const monorepo = await lab.git.createRepository({
    files: { 'services/web/Dockerfile': 'FROM x\n', 'services/mail/Dockerfile': 'FROM x\n' },
  })
  return { ...made, monorepo, blog, tools, empty, articles, articlesRelease, worker, broken, fresh, building, running }
}
