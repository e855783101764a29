import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
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

it('a step gets the secrets it mounts, and nothing of them is in the image, its history or the next build', async () => {
  await using test = openTestEngine()
  const { engine, instance } = test
  await ensureBusybox(engine)
  const lines: string[] = []
  const build = async (secrets: Record<string, string>, run: string) =>
    await engine.build({
      contextTar: tarOf({ Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN ${run} && echo ${instance}\n` }),
      dockerfile: 'Dockerfile',
      tag: `berth-test/${instance}:secret`,
      labels: {},
      secrets: new Map(Object.entries(secrets).map(([name, value]) => [name, Buffer.from(value)])),
      onLine: (line) => lines.push(line),
      signal: AbortSignal.timeout(120_000),
    })
  const long = 'x'.repeat(60_000)
  const mounts = '--mount=type=secret,id=TOKEN --mount=type=secret,id=long,target=/tmp/long'
  const { imageId } = await build(
    { TOKEN: 'the-value-of-the-token', long },
    `${mounts} cat /run/secrets/TOKEN | wc -c && wc -c < /tmp/long`,
  )
  expect(lines.join('\n')).toMatch(/\b22\b[^]*\b60000\b/)
  const { stdout } = await promisify(execFile)('docker', ['history', '--no-trunc', imageId])
  expect(stdout).toContain('cat /run/secrets/TOKEN')
  expect(stdout).not.toContain('the-value-of-the-token')
  lines.length = 0
  await build({}, '--mount=type=secret,id=TOKEN ls /run/secrets/TOKEN || echo "none is here"')
  expect(lines.join('\n')).toMatch(/The build asks for the secret "TOKEN"[^]*none is here/)
  await expect(build({}, '--mount=type=secret,id=OTHER,required=true true')).rejects.toThrow(/OTHER/)
  await engine.images.remove(`berth-test/${instance}:secret`)
})
