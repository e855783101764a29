import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FileMap } from '../../testing/harness/git-server.ts'
import { freePort } from '../../testing/harness/listening.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
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

/** The port that visitors reach, and another one that the file publishes; `word` is what both answer with. */
const publishing = (port: number, word: string, end = 'exec httpd -f -p 8080 -h /tmp'): FileMap => ({
  'compose.yaml': JSON.stringify({
    services: {
      web: {
        image: BUSYBOX_IMAGE,
        command: ['sh', '-c', `echo ${word} > /tmp/index.html; httpd -p 9090 -h /tmp; ${end}`],
        expose: [8080],
        ports: [`${port}:9090`],
      },
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

const succeeds = async (appId: number) => expect(await lab.deploy(appId)).toMatchObject({ status: 'success', error_message: '' })
const listed = async () => (await lab.owner.call('ports.list')).map(({ port, appId }) => [port, appId])
/** What answers at a port of the machine; empty where nobody does. */
async function answerAt(port: number): Promise<string> {
  return await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5000) }).then(
    async (response) => (await response.text()).trim(),
    () => '',
  )
}

it('two apps publish the same port and run at once; who opens it has it until it is closed and no release has it', {
  timeout: 240_000,
}, async () => {
  const port = await freePort()
  const [first, second] = [await appOf(alice, publishing(port, 'first')), await appOf(bob, publishing(port, 'second'))]
  await Promise.all([succeeds(first.id), succeeds(second.id)])
  expect([await listed(), await answerAt(port)]).toEqual([[], ''])

  const place = { service: 'web', port: 9090 }
  expect(await alice.call('stacks.ports', { appId: first.id })).toMatchObject([{ ...place, hostPort: port, isOn: false, isOpen: false }])
  await alice.call('stacks.openPort', { appId: first.id, ...place, hostPort: port })
  await expect(bob.call('stacks.openPort', { appId: second.id, ...place, hostPort: port })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('must not belong to another app'),
  })
  expect(await answerAt(port)).toBe('') // from the next deployment on
  await succeeds(first.id)
  await until(
    async () => await answerAt(port),
    (word) => word === 'first',
  )
  expect(await lab.owner.call('ports.list')).toMatchObject([
    {
      port,
      protocol: 'tcp',
      appId: first.id,
      service: 'web',
      target: 9090,
      address: '127.0.0.1',
      isWanted: true,
      projectName: first.projectName,
    },
  ])

  await first.repository.commit({ files: publishing(port, 'broken', 'exit 3') })
  await alice.call('stacks.closePort', { appId: first.id, ...place })
  expect(await lab.deploy(first.id)).toMatchObject({ status: 'failed' })
  expect(await listed()).toEqual([[port, first.id]]) // the release before has it
  await until(
    async () => await answerAt(port),
    (word) => word === 'first',
  )
  await alice.call('containers.stop', { appId: first.id })
  await expect(bob.call('stacks.openPort', { appId: second.id, ...place, hostPort: port })).rejects.toThrow('another app')

  await first.repository.commit({ files: publishing(port, 'first') })
  await succeeds(first.id)
  expect(await listed()).toEqual([])
  await bob.call('stacks.openPort', { appId: second.id, ...place, hostPort: port })
  await succeeds(second.id)
  await until(
    async () => await answerAt(port),
    (word) => word === 'second',
  )
  await bob.call('apps.delete', { appId: second.id })
  await until(listed, (ports) => ports.length === 0)
})

it('the list of ports is for admins', async () => {
  await expect(bob.call('ports.list')).rejects.toMatchObject({ status: 403 })
})
