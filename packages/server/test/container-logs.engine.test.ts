import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeployLab, dockerfile, openDeployLab, until } from '../src/testing/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function running(command: string) {
  const files = { Dockerfile: dockerfile([], `${command}; echo that is all; sleep 1000`) }
  const app = await lab.createApp(files, { appType: 'service', port: null })
  await lab.deploy(app.id)
  await until(
    async () => await lab.owner.call('containers.logs', { appId: app.id, tail: 1 }),
    ({ logs }) => logs.endsWith('that is all'),
  )
  const [container] = await lab.containersOf(app.id)
  return { appId: app.id, containerId: container?.id ?? '' }
}

it('what a container prints is clean on every way out, and colours stay', async () => {
  const { appId, containerId } = await running(
    `printf 'a\\033[31mred\\033[0m\\033]0;title\\007 b\\033[2J\\033[1;1H c\\r\\000 d\\302\\2332J\\033]8;;https://x.example\\033\\\\ e\\n'`,
  )
  const clean = 'a\u001b[31mred\u001b[0m b c d e'
  const [line = ''] = (await lab.owner.call('containers.logs', { appId })).logs.split('\n')
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ /)
  expect(line.slice(line.indexOf(' ') + 1)).toBe(clean)
  await using socket = await lab.berth.connect('container.logs', { cookie: lab.owner.cookie, input: { containerId } })
  expect((await socket.waitFor(({ type }) => type === 'log')).data['line']).toBe(clean)
})
