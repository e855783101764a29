import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { openNodesLab } from '../../testing/labs/nodes-lab.ts'

const NAMES = ['a', 'b']

it('another node starts a compose app again whose node is killed, and keeps its images', { timeout: 300_000, tags: 'long' }, async () => {
  await using lab = await openNodesLab(NAMES)
  const owner = await lab.node('a').owner()
  const project = await owner.call('projects.create', { name: 'Stack' })
  const files = { ...webFiles('from the plan'), 'compose.yaml': 'services: { web: { build: ., environment: { PORT: "8080" } } }\n' }
  const { url: gitCloneUrl } = await lab.git.createRepository({ files })
  const source = { gitCloneUrl, gitBranch: 'main' }
  const app = await owner.call('apps.create', { name: 'stack', projectId: project.id, appType: 'compose', port: 8080, ...source })
  const { id } = await owner.call('deployments.add', { appId: app.id })
  const look = async () => await owner.call('deployments.get', { id })
  const ended = await until(look, ({ status }) => ['success', 'failed', 'stopped'].includes(status))
  expect([ended.status, ended.error_message]).toEqual(['success', ''])
  const [{ node: ranOn } = { node: '' }] = await lab.rows<{ node: string }>(`select node from deployment_log where deployment_id = ${id}`)
  const other = NAMES.find((name) => name !== ranOn) ?? ''
  const planAt = (name: string) => path.join(lab.node(name).dataDir, 'compose', `app-${app.id}`, `d${id}`, 'plan.json')
  expect(existsSync(planAt(ranOn))).toBe(true)
  const images = async () => (await lab.engine.images.list({ labels: lab.labels })).flatMap(({ tags }) => tags).toSorted()
  const built = await images()
  await lab.node(ranOn).kill9()
  const containers = async () => await lab.engine.containers.list({ labels: { ...lab.labels, 'berth.app': String(app.id) } })
  const [first] = await containers()
  if (!first) throw new Error('there is no container')
  await lab.engine.containers.remove(first.id)
  const restored = await until(containers, (all) => all.length === 1 && all[0]?.state === 'running' && all[0].id !== first.id)
  expect(restored[0]?.owner).toEqual(first.owner)
  expect(existsSync(planAt(other))).toBe(true)
  expect(await images()).toEqual(built)
})
