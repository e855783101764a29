import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { type DeployLab, openDeployLab } from '../../testing/labs/deploy-lab.ts'

const IMAGE = 'registry.nowhere.invalid/web:1'
const compose = (web: object) => ({ 'compose.yaml': JSON.stringify({ services: { web: { ports: ['8080'], ...web } } }) })

let lab: DeployLab
// BERTH_PROVISION is off in tests, so no packet rules are around the engine
beforeAll(async () => {
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: '127.0.0.1' } }) // for the clone URLs
})
afterAll(async () => await lab?.[Symbol.asyncDispose]())

/** Why a deployment of somebody with this source failed. */
async function whyNot(person: Person, source: { files?: Record<string, string>; appType?: 'compose'; image?: string }): Promise<string> {
  const { files, image, appType } = source
  const { id: projectId } = await person.call('projects.create', { name: 'Registries' })
  const repository = files && (await lab.git.createRepository({ files }))
  const from = repository ? { gitCloneUrl: repository.url, gitBranch: 'main' } : { builder: 'image' as const, image: image ?? '' }
  const app = await person.call('apps.create', { name: 'app', projectId, port: 8080, ...from, ...(appType && { appType }) })
  const { id } = await person.call('deployments.add', { appId: app.id })
  const { status, error_message } = await lab.ended(id)
  expect(status).toBe('failed')
  return error_message
}

const SOURCES = {
  'a ready image': { image: IMAGE },
  'a base image': { files: { Dockerfile: `FROM ${IMAGE}\n` } },
  'an image that a stage copies from': { files: { Dockerfile: `FROM scratch\nCOPY --from=${IMAGE} /a /a\n` } },
  'a service of a compose file': { files: compose({ image: IMAGE }), appType: 'compose' as const },
  'a base image of a service': { files: compose({ build: { dockerfile_inline: `FROM ${IMAGE}` } }), appType: 'compose' as const },
}

it.each(Object.entries(SOURCES))(
  '%s at a registry that nobody allowed is refused for members, and not for admins',
  async (name, source) => {
    const member = await lab.berth.as(`member-${name.replaceAll(' ', '-')}`)
    expect(await whyNot(member, source)).toContain('The registry registry.nowhere.invalid is not allowed here.')
    expect(await whyNot(lab.owner, source)).not.toContain('is not allowed here')
  },
)
