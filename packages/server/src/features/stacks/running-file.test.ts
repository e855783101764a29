import { expect, it } from 'vitest'
import type { AppRow } from '../../domain/rows.ts'
import { planCompose } from '../../engine/compose/policy.ts'
import { createRunningFile, runningText } from './running-file.ts'

const SETTINGS = { env: {}, volumePrefix: 'berth-abc-app-7', port: 80, reservedPorts: [], memoryBytes: 1024 ** 3 }

it('a plan is shown in the words of a compose file, without the names of built images and what is in secrets', () => {
  const text = `
services:
  web: { build: { context: ., args: { A: 1 } }, expose: [80], depends_on: [db], container_name: front, secrets: [key] }
  copy: { image: mine, command: [a, "b c"] }
  db: { image: postgres, restart: "on-failure:3", volumes: [data:/data:ro], tmpfs: /tmp, stop_grace_period: 1m }
secrets: { key: { content: very-secret } }
`
  const plan = planCompose(text, { ...SETTINGS, newImageName: () => 'berth/0123:release' })
  const shown = runningText(plan)
  expect(shown).not.toMatch(/berth\/0123|very-secret/)
  expect(shown).toContain('  web:\n    build:\n      context: .\n      dockerfile: Dockerfile\n      args:\n        A: "1"\n')
  expect(shown).toContain('x-files:\n      - /run/secrets/key')
  expect(shown).toContain('berth-abc-app-7_data:/data:ro')
  expect(shown).toContain('restart: on-failure:3')
  expect(shown).toContain('stop_grace_period: 60s')
})

it('an image that was pulled with credentials is shown by the name in the file, and a very long plan not at all', () => {
  const plan = planCompose('services: { web: { image: registry.example/team/web:1 } }', { ...SETTINGS, newImageName: () => '' })
  const pulled = { image: `berth/pulled-abc-3-${'0'.repeat(32)}:release` }
  const withPulled = (more: { shownImage?: string; command?: string[] }) =>
    runningText({ ...plan, services: plan.services.map((service) => ({ ...service, ...pulled, ...more })) })
  expect(withPulled({ shownImage: 'registry.example/team/web:1' })).toContain('image: registry.example/team/web:1')
  expect(withPulled({})).not.toContain('berth/pulled')
  expect(withPulled({ command: ['x'.repeat(300_000)] })).toBe('# This file is too long to be shown.\n')
})

it('a very long plan is not compared with the one before it', async () => {
  const plan = planCompose('services: { web: { image: a } }', { ...SETTINGS, newImageName: () => '' })
  const withCommand = (command: string) => ({ ...plan, services: plan.services.map((service) => ({ ...service, command: [command] })) })
  const changes = async (command: string) => {
    const liveOf = async () => ({ deploymentId: 2, plan: withCommand(command) })
    const running = createRunningFile({ liveOf, previousOf: async () => ({ deploymentId: 1, plan: withCommand('before') }) })
    return (await running({} as AppRow)).changes // the app is only handed on
  }
  expect(await changes('after')).toMatchObject([{ service: 'web', key: 'command' }])
  expect(await changes('x'.repeat(300_000))).toEqual([])
})
