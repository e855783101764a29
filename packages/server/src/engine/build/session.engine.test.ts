import { expect, it } from 'vitest'
import { startImageRegistry } from '../../../testing/harness/image-registry.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox, openTestEngine, tarOf } from '../../../testing/images/test-images.ts'

it('a build gets a base image with the credentials of its session, and without them it does not', async () => {
  await using registry = await startImageRegistry({ over: 'http' })
  await using test = openTestEngine()
  const { engine, instance } = test
  await registry.setPassword('ada', 'the-password-of-ada')
  await ensureBusybox(engine)
  const local = `berth-test/${instance}:base`
  await buildTestImage(engine, local, { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCOPY own /own\n`, own: instance })
  await registry.push(local, 'team/base:1')
  await engine.images.remove(local)
  const build = async (password?: string) =>
    await engine.build({
      contextTar: tarOf({ Dockerfile: `FROM ${registry.host}/team/base:1\nRUN cat /own\n` }),
      dockerfile: 'Dockerfile',
      tag: `berth-test/${instance}:built`,
      labels: {},
      onLine: () => undefined,
      signal: AbortSignal.timeout(120_000),
      ...(password !== undefined && { credentials: [{ host: registry.host, username: 'ada', password }] }),
    })
  await expect(build()).rejects.toThrow(/no active sessions|authorization failed|unauthorized|401/i)
  await expect(build('another-password')).rejects.toThrow(/no active sessions|authorization failed|unauthorized|401/i)
  await expect(build('the-password-of-ada')).resolves.toHaveProperty('imageId')
  await expect(build()).rejects.toThrow(/no active sessions|authorization failed|unauthorized|401/i) // what one build was given is not the next one's
  await engine.images.remove(`berth-test/${instance}:built`)
})
