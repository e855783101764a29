import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FileMap } from '../../testing/harness/git-server.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { freePort } from '../../testing/harness/test-edge.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
let alice: Person
let bob: Person
beforeAll(async () => {
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: 'localhost' } })
  alice = await lab.berth.as('alice')
  bob = await lab.berth.as('bob')
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const publishing = (ports: readonly number[], command = 'exec httpd -f -p 8080 -h /www'): FileMap => ({
  'compose.yaml': JSON.stringify({
    services: {
      web: { image: BUSYBOX_IMAGE, command: ['sh', '-c', command], expose: [8080], ports: ports.map((port) => `${port}:9090`) },
    },
  }),
})

async function appOf(person: Person, files: FileMap) {
  const project = await person.call('projects.create', { name: `Of ${person.email}` })
  const repository = await lab.git.createRepository({ files })
  const source = { gitCloneUrl: repository.url.replace('127.0.0.1', 'localhost'), gitBranch: 'main' }
  const app = await person.call('apps.create', { projectId: project.id, name: 'compose', appType: 'compose', port: 8080, ...source })
  return { ...app, repository, projectName: project.name }
}

const listed = async () => (await lab.owner.call('ports.list')).map(({ port, appId }) => [port, appId])

it('a port has one owner: also while the app is stopped, until a release does without it or the app goes', {
  timeout: 180_000,
}, async () => {
  const [port, other] = [await freePort(), await freePort()]
  const first = await appOf(alice, publishing([port]))
  expect(await lab.deploy(first.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.owner.call('ports.list')).toEqual([
    {
      port,
      protocol: 'tcp',
      appId: first.id,
      appName: 'compose',
      projectId: first.project_id,
      projectName: first.projectName,
      since: expect.any(String),
    },
  ])
  await alice.call('containers.stop', { appId: first.id })

  const second = await appOf(bob, publishing([other, port]))
  const refused = await lab.deploy(second.id)
  expect(refused).toMatchObject({ status: 'failed' })
  expect(refused.error_message).toContain(`Port ${port}/tcp of this machine belongs to another app.`)
  expect(refused.error_message).not.toContain(first.name)
  expect(await listed()).toEqual([[port, first.id]]) // none of them, and nothing was started
  expect(await lab.containersOf(second.id)).toEqual([])

  await first.repository.commit({ files: publishing([]) })
  expect(await lab.deploy(first.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await listed()).toEqual([])
  expect(await lab.deploy(second.id)).toMatchObject({ status: 'success', error_message: '' })
  const inOrder = [port, other].toSorted((a, b) => a - b)
  expect(await listed()).toEqual(inOrder.map((one) => [one, second.id]))

  await bob.call('apps.delete', { appId: second.id })
  await until(listed, (ports) => ports.length === 0)
})

it('a deployment that fails gives back what it claimed, and keeps what the live release has', { timeout: 180_000 }, async () => {
  const [port, other] = [await freePort(), await freePort()]
  const app = await appOf(alice, publishing([port]))
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  await app.repository.commit({ files: publishing([port, other], 'exit 3') })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'failed' })
  expect(await listed()).toEqual([[port, app.id]])
})

it('a compose file cannot take ports by the dozen', async () => {
  const app = await appOf(bob, publishing(Array.from({ length: 21 }, (_, index) => 20_000 + index)))
  expect((await lab.deploy(app.id)).error_message).toContain('publish more than 20 ports of the machine')
})

it('the list of ports is for admins', async () => {
  await expect(bob.call('ports.list')).rejects.toMatchObject({ status: 403 })
})
