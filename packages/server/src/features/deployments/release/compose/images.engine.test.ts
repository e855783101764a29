import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine, tarOf } from '../../../../../testing/images/test-images.ts'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { newImageName } from '../../../../engine/image-names.ts'
import { labelsOf } from '../../../../engine/labels.ts'
import type { Step } from '../../../../lib/step.ts'
import { createEffects } from '../../run/effects.ts'
import { createCheckImages, imageProblem } from './images.ts'

const test = openTestEngine()
const { engine, instance } = test
beforeAll(() => ensureBusybox(engine))
afterAll(() => test[Symbol.asyncDispose]())

async function imageWith(line: string): Promise<string> {
  const tag = newImageName()
  const signal = AbortSignal.timeout(50_000)
  const contextTar = tarOf({ Dockerfile: `FROM ${BUSYBOX_IMAGE}\n${line}\n` })
  const labels = labelsOf({ instance, kind: 'app', appId: 1 })
  await engine.build({ contextTar, dockerfile: 'Dockerfile', tag, labels, onLine: () => undefined, signal })
  return tag
}

async function check(services: object): Promise<void> {
  const settings = { env: {}, volumePrefix: 'berth-abc-app-1', port: null }
  const plan = planCompose(JSON.stringify({ services }), { ...settings, reservedPorts: [], newImageName })
  const signal = AbortSignal.timeout(50_000)
  const step: Step = async (_name, effect) => await effect()
  const say = () => undefined
  const app = { project_id: 1, source_set_by: null }
  const follower = { app, ...createEffects({ step, signal, say }), signal, say, output: () => undefined, active: () => undefined }
  await createCheckImages({
    engine,
    refuseImage: async () => undefined,
    refuseOthersImage: async () => undefined,
    inPullPlace: async (_project, _waiting, pull) => await pull(),
  })(follower, plan)
}

it('an image with a very frequent health check is refused, whatever the compose file says', async () => {
  const often = await imageWith('HEALTHCHECK --interval=1ms CMD true')
  const seldom = await imageWith('HEALTHCHECK --interval=5s CMD true')
  await expect(check({ db: { image: seldom }, web: { image: BUSYBOX_IMAGE } })).resolves.toBeUndefined()
  for (const more of [{}, { healthcheck: { test: ['CMD', 'true'] } }])
    await expect(check({ db: { image: seldom }, web: { image: often, ...more } })).rejects.toThrow(
      'The service "web" cannot be started: its image checks its health more than once a second.',
    )
})

it('an image that cannot be pulled is reported with its service and the reason', async () => {
  await expect(check({ web: { image: 'nobody.invalid/nothing:1' } })).rejects.toThrow(
    /^The image nobody\.invalid\/nothing:1 of the service "web" could not be pulled: .+/,
  )
})

it('the settings of an image are limited in size', () => {
  const plain = { settingsBytes: 60_000, shortestCheckMs: null, volumePaths: ['/data'] }
  expect(imageProblem(plain)).toBeUndefined()
  expect(imageProblem({ ...plain, settingsBytes: 900_000 })).toBe('has 879 KiB of labels, variables and commands, and 64 KiB are allowed.')
  expect(imageProblem({ ...plain, volumePaths: Array.from({ length: 51 }, (_, index) => `/v${index}`) })).toBe(
    'declares 51 volumes, and 50 are allowed.',
  )
})
