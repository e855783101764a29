import type { BrowserLab } from '../e2e/browser-lab.ts'
import { writeToDatabase } from '../packages/server/testing/harness/write-to-database.ts'

const LONG = 'customer-facing-subscription-and-invoicing-service-for-the-northern-regions-with-a-very-long-name'
const UNBROKEN = 'Internationalisierungsverantwortlichkeitsbereichskoordinierungsstellenverzeichnis'

/** As many as a year of work leaves behind, copied from one that was made by the server. */
const COPY_DEPLOYMENT = `
  with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ?)
  insert into deployment (app_id, number, status, stage, progress, commit_hash, commit_message, commit_author, error_message, trigger,
    triggered_by, is_active, image, sealed_config, steps, attempts, started_at, finished_at, duration, created_at, updated_at)
  select app_id, 1000 + n, iif(n % 7 = 0, 'failed', 'success'), iif(n % 7 = 0, 'building', 'completed'), 100,
    substr('0123456789abcdef0123456789abcdef0123456789abcdef', n % 8 + 1, 40),
    iif(n % 11 = 0, 'Refactor the whole of the invoicing pipeline so that partial refunds in other currencies are rounded only once, and log it', 'Change number ' || n),
    'Grace Tester', iif(n % 7 = 0, 'error TS2322: Type string is not assignable to type number.', ''), trigger, triggered_by, 0, image,
    sealed_config, steps, 1, started_at, finished_at, 40 + n % 50,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '-' || ((301 - n) * 3) || ' hours'), updated_at
  from deployment, counted where deployment.id = ?`

/** A server with sixty more apps, three hundred more deployments and names that no one wants to read. */
export async function makeCrowd(lab: BrowserLab, deploymentId: number) {
  const owner = await lab.berth.owner()
  const crowded = await owner.call('projects.create', {
    name: `The ${LONG}`.slice(0, 100),
    description: `${UNBROKEN} ${UNBROKEN}`,
    tags: 'production,customers,a-tag-of-considerable-length,internal,billing,north',
  })
  const long = await owner.call('apps.create', {
    name: LONG.slice(0, 100),
    projectId: crowded.id,
    description: `${UNBROKEN} ${UNBROKEN}`,
    gitCloneUrl: `https://git.example.com/${UNBROKEN.toLowerCase()}/${LONG}.git`,
    envVars: { [`${UNBROKEN.toUpperCase()}_URL`]: `https://${LONG.slice(0, 60)}.example.com/?q=${'x'.repeat(300)}` },
  })
  await owner.call('domains.create', { appId: long.id, domain: `${LONG.slice(0, 60)}.${UNBROKEN.slice(0, 60).toLowerCase()}.example.com` })
  for (let count = 1; count < 60; count += 1) await owner.call('apps.create', { name: `service-${count}`, projectId: crowded.id })
  await owner.call('users.create', {
    email: `${UNBROKEN.toLowerCase().slice(0, 60)}@mail.example.test`,
    password: 'a-good-password',
    role: 'user',
  })
  await writeToDatabase(lab.berth.dataDir, (file) => file.prepare(COPY_DEPLOYMENT).run(300, deploymentId))
  return { crowded, long }
}
