import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngineProxy } from '../../../testing/harness/engine-proxy.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine, tarOf } from '../../../testing/images/test-images.ts'
import { failureReason } from '../../features/deployments/run/failure-reason.ts'
import { createRedactor } from '../../lib/redact.ts'
import { BuilderSilent, BuildFailed, EngineUnreachable } from '../api/errors.ts'
import { createTransport } from '../api/transport.ts'
import { createDownloads } from '../downloads/downloads.ts'
import { newImageName } from '../image-names.ts'
import { labelsOf } from '../labels.ts'
import { createBuilder } from './build.ts'
import { buildContext } from './context.ts'
import { createBuildLimits } from './limits.ts'

const test = openTestEngine()
const { engine, instance } = test
beforeAll(() => ensureBusybox(engine))
afterAll(() => test[Symbol.asyncDispose]())

const silent = { info: () => undefined, warn: () => undefined }
const unique = () => `${instance}-${Math.random().toString(36).slice(2)}`
let nextApp = 1_000_000 + Math.floor(Math.random() * 1e9)

/** A build of our own, with what it printed. */
async function build(
  dockerfile: string,
  options: {
    signal?: AbortSignal
    memoryBytes?: number
    processes?: number
    target?: Pick<typeof engine, 'build'>
    lines?: string[]
    withoutCache?: boolean
    stage?: string
  } = {},
) {
  const { lines = [] } = options
  const progress: number[] = []
  nextApp += 1
  const tag = newImageName()
  const { imageId } = await (options.target ?? engine).build({
    contextTar: tarOf({ Dockerfile: `FROM ${BUSYBOX_IMAGE}${options.stage ? ` AS ${options.stage}` : ''}\n${dockerfile}\n` }),
    dockerfile: 'Dockerfile',
    tag,
    labels: labelsOf({ instance, kind: 'app', appId: nextApp }),
    ...(options.memoryBytes === undefined ? {} : { memoryBytes: options.memoryBytes }),
    ...(options.processes === undefined ? {} : { processes: options.processes }),
    ...(options.withoutCache && { withoutCache: true }),
    ...(options.stage && { target: options.stage }),
    onLine: (line) => lines.push(line),
    onProgress: (fraction) => progress.push(fraction),
    signal: options.signal ?? AbortSignal.timeout(50_000),
  })
  return { tag, imageId, lines, progress }
}

const processesWith = (mark: string) =>
  execFileSync('ps', ['-eo', 'args'])
    .toString()
    .split('\n')
    .filter((line) => line.includes(mark)).length

/**
 * Ten stages side by side that each print 180,000 empty lines a second, nearly as much as BuildKit passes on, for so many tenths of one.
 */
function flood(tenths: number): string {
  const stages = Array.from({ length: 10 }, (_, n) => `flood${n}`)
  const print = `n=0; while [ $n -lt ${tenths} ]; do yes '' | head -n 18000; sleep 0.1; n=$((n+1)); done`
  return [
    ...stages.map((stage) => `FROM ${BUSYBOX_IMAGE} AS ${stage}\nRUN ${print} && echo ${unique()} > /${stage}`),
    `FROM ${BUSYBOX_IMAGE}`,
    ...stages.map((stage) => `COPY --from=${stage} /${stage} /`),
  ].join('\n')
}

/** Starts a build that waits, and gives it once its step runs. */
async function waitingBuild(options: { target?: typeof engine; signal?: AbortSignal } = {}) {
  const mark = `6${Math.random().toString().slice(2, 12)}` // the time to sleep: it is what the process list shows
  const work = build(`RUN sleep ${mark}`, options)
  work.catch(() => undefined) // looked at by the caller, later
  await expect.poll(() => processesWith(`sleep ${mark}`), { timeout: 20_000 }).toBeGreaterThan(0)
  return { work, mark }
}

it('a build without the cache runs a step again that the cache has, and takes the stage that it is told', async () => {
  const text = [`RUN echo ran ${unique()}`, 'FROM scratch AS other'].join('\n')
  const printed = async (options: { withoutCache?: boolean }) => {
    const { lines } = await build(text, { ...options, stage: 'wanted' })
    return lines.filter((line) => /^#\d+ ran /.test(line)).length
  }
  expect([await printed({}), await printed({}), await printed({ withoutCache: true })]).toEqual([1, 0, 1])
})

describe('a build', () => {
  it('is refused when the image says very much of itself, and leaves nothing behind', async () => {
    const labels = (count: number) =>
      Array.from({ length: count }, (_, index) => `LABEL l${index}-${unique()}=${'x'.repeat(1024)}`).join('\n')
    const before = await engine.images.list({ labels: { 'berth.instance': instance } })
    await expect(build(labels(90))).rejects.toThrow(/^The image has \d+ KiB of labels, variables and commands, but only 64 KiB are allowed/)
    const volumes = (count: number) => `VOLUME ${JSON.stringify(Array.from({ length: count }, (_, n) => `/v${n}`))}`
    await expect(build(volumes(51))).rejects.toThrow('The image declares 51 volumes, but only 50 are allowed')
    expect(await engine.images.list({ labels: { 'berth.instance': instance } })).toHaveLength(before.length)
    expect((await build(labels(30))).imageId).toContain('sha256:')
  })

  it('gives an image with our labels, readable lines and rising progress', async () => {
    const mark = unique()
    const { tag, imageId, lines, progress } = await build(`RUN echo out-${mark} && echo err-${mark} >&2`)
    const image = await engine.images.inspect(tag)
    expect(image).toMatchObject({ id: imageId, owner: { instance } })
    expect(lines.some((line) => /^#\d+ \[.*2\/2\] RUN echo/.test(line))).toBe(true)
    expect(lines.some((line) => new RegExp(`^#\\d+ out-${mark}$`).test(line))).toBe(true)
    expect(lines.some((line) => new RegExp(`^#\\d+ err-${mark}$`).test(line))).toBe(true)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
    expect((await engine.images.list({ labels: { 'berth.instance': instance } })).map(({ id }) => id)).toContain(imageId)
  })

  it('is cached the second time, and keeps its cache mounts', async () => {
    const id = unique()
    const first = `RUN --mount=type=cache,id=${id},target=/cache echo kept > /cache/file`
    await build(first)
    expect((await build(first)).lines.some((line) => /^#\d+ CACHED$/.test(line))).toBe(true)
    const { lines } = await build(`RUN --mount=type=cache,id=${id},target=/cache cat /cache/file && echo ${id}`)
    expect(lines.some((line) => /^#\d+ kept$/.test(line))).toBe(true)
  })

  it('that fails says what failed, and leaves no image and no container', async () => {
    const failure = await build(`RUN echo about-to-fail && exit 3 # ${unique()}`).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(BuildFailed)
    expect(failure).toMatchObject({ outOfMemory: false, message: expect.stringContaining('exit code: 3') })
    expect((failure as BuildFailed).lastLines.join('\n')).toContain('about-to-fail')
    expect(await engine.images.list({ labels: labelsOf({ instance, kind: 'app', appId: nextApp }) })).toEqual([])
    expect(await engine.containers.list({ labels: { 'berth.instance': instance } })).toEqual([])
  })

  it('with a Dockerfile that cannot be read fails with the line', async () => {
    await expect(build('RUNN echo')).rejects.toThrow(/unknown instruction: RUNN/i)
  })

  it('that is cancelled has ended in the engine too when it says so', async () => {
    const stop = new AbortController()
    const { work, mark } = await waitingBuild({ signal: stop.signal })
    stop.abort(new Error('stopped by a person'))
    await expect(work).rejects.toThrow('stopped by a person')
    expect(processesWith(mark)).toBe(0)
  })

  it('that the engine accepts but never starts fails with a hint', async () => {
    await using proxy = await startEngineProxy()
    proxy.delay('POST /build', 5000)
    const transport = createTransport({ address: proxy.address })
    const limits = createBuildLimits({ log: silent })
    const buildBehind = createBuilder({
      transport,
      images: engine.images,
      downloads: createDownloads(),
      limits,
      cgroupDriver: async () => 'cgroupfs',
      firstWordMs: 300,
    })
    const failure = await build(`RUN echo ${unique()}`, { target: { build: buildBehind } }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(BuilderSilent)
    expect(failureReason(failure, createRedactor([]))).toContain('Restart the container engine')
  })

  it('whose engine becomes unreachable is not reported as failed', async () => {
    await using proxy = await startEngineProxy()
    await using behind = openTestEngine({ address: proxy.address })
    const { work, mark } = await waitingBuild({ target: behind.engine })
    await proxy.cut()
    await expect(work).rejects.toThrow(EngineUnreachable)
    await expect.poll(() => processesWith(mark), { timeout: 20_000 }).toBe(0)
    await proxy.restore()
  })

  it('that prints more than anybody can read ends all the same, and its log has every step', async () => {
    const { imageId, lines } = await build(flood(30))
    expect(imageId).toMatch(/^sha256:/)
    const steps = lines.flatMap((line) => /^#(\d+) \[flood\d 2\/2\] RUN /.exec(line)?.[1] ?? [])
    expect(steps).toHaveLength(10)
    for (const step of steps) expect(lines.some((line) => line.startsWith(`#${step} DONE `))).toBe(true)
  })

  it('that the engine lost track of, because its output was not read, still returns its image', async () => {
    await using proxy = await startEngineProxy()
    await using behind = openTestEngine({ address: proxy.address })
    const read = Promise.withResolvers<void>()
    proxy.hold('POST /build', read.promise)
    const pause = `1.${Math.random().toString().slice(2, 12)}` // the time to sleep: it is what the process list shows
    const work = build(`${flood(20)}\nRUN sleep ${pause}`, { target: behind.engine })
    await expect.poll(() => processesWith(`sleep ${pause}`), { timeout: 40_000 }).toBeGreaterThan(0)
    read.resolve()
    const { imageId, lines } = await work
    expect((await engine.images.inspect(imageId))?.id).toBe(imageId)
    const isOld = (await engine.facts()).version.startsWith('20.10.')
    expect(lines.some((line) => line.includes('printed more at once'))).toBe(isOld)
  })

  it('that starts thousands of processes is held to the limit of all builds, and fails', async (context) => {
    const limits = createBuildLimits({ log: silent })
    const free = 2 ** 40
    const { applied } = await limits.apply({ memoryBytes: free, processes: 1024 })
    if (applied.length === 0) context.skip()
    const many = 'n=0; while [ $n -lt 3000 ]; do sleep 600 & n=$((n+1)); [ $((n%100)) -gt 0 ] || echo started-$n; done; echo all'
    const lines: string[] = []
    try {
      const failure = await build(`RUN ${many} # ${unique()}`, { memoryBytes: free, processes: 1024, lines }).catch(
        (cause: unknown) => cause,
      )
      expect(failure).toMatchObject({ name: 'BuildFailed', outOfProcesses: true })
      const started = lines.flatMap((line) => /started-(\d+)$/.exec(line)?.[1] ?? []).map(Number)
      expect(Math.max(...started)).toBeGreaterThanOrEqual(100)
      expect(Math.max(...started)).toBeLessThan(1024)
      expect(lines.join('\n')).toMatch(/can't fork/)
    } finally {
      await limits.apply({ memoryBytes: free, processes: 32_000 })
    }
  })

  it('that uses too much memory is reported as out of memory', async (context) => {
    const limits = createBuildLimits({ log: silent })
    const free = 2 ** 40
    const { applied } = await limits.apply({ memoryBytes: free })
    if (applied.length === 0) context.skip()
    try {
      // Enough for the builds of other tests that may run meanwhile: the cgroup is shared with them.
      const hog = `RUN awk 'BEGIN { x = "aaaaaaaaaaaaaaaa"; while (1) x = x x }' # ${unique()}`
      const failure = await build(hog, { memoryBytes: 512 * 1024 * 1024 }).catch((cause: unknown) => cause)
      expect(failure).toMatchObject({ name: 'BuildFailed', outOfMemory: true, message: expect.stringContaining('out of memory') })
    } finally {
      await limits.apply({ memoryBytes: free })
    }
  })

  it('takes a directory of files, without what .dockerignore names', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'berth-build-'))
    try {
      await writeFile(path.join(directory, 'Dockerfile.prod'), `FROM ${BUSYBOX_IMAGE}\nCOPY . /app\nRUN ls -A /app && echo ${unique()}\n`)
      await writeFile(path.join(directory, '.dockerignore'), 'secret\n')
      await writeFile(path.join(directory, 'secret'), 'x')
      await writeFile(path.join(directory, 'kept'), 'x')
      const lines: string[] = []
      const labels = labelsOf({ instance, kind: 'app', appId: nextApp })
      const contextTar = buildContext({ directory, dockerfile: 'Dockerfile.prod' })
      await engine.build({
        contextTar,
        dockerfile: 'Dockerfile.prod',
        tag: newImageName(),
        labels,
        onLine: (line) => lines.push(line),
        signal: AbortSignal.timeout(50_000),
      })
      const listed = lines.flatMap((line) => /^#\d+ (\S+)$/.exec(line)?.[1] ?? [])
      expect(listed).toContain('kept')
      expect(listed).not.toContain('secret')
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
