import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineSocketPath, startEngineProxy } from '../../testing/harness/engine-proxy.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox, openTestEngine } from '../../testing/images/test-images.ts'
import { EngineUnreachable, SpecRefused } from './api/errors.ts'
import type { LogLine } from './api/log-frames.ts'
import { createTransport } from './api/transport.ts'
import { archiveOf } from './build/tar.ts'
import { createContainerContents } from './container-contents.ts'
import type { ContainerSpec } from './container-spec.ts'
import type { ContainerEvent } from './engine-events.ts'
import { containerName, labelsOf, projectNetworkName, volumeName } from './labels.ts'

const test = openTestEngine()
const { engine, instance } = test
const network = projectNetworkName(instance, 1)
beforeAll(async () => {
  await ensureBusybox(engine)
  await engine.networks.ensureProjectNetwork({ instance, projectId: 1 })
})
afterAll(() => test[Symbol.asyncDispose]())

let nextId = 0
function spec(command: readonly string[], change: Partial<ContainerSpec> = {}): ContainerSpec {
  nextId += 1
  return {
    name: containerName(instance, nextId, 1),
    image: BUSYBOX_IMAGE,
    labels: labelsOf({ instance, kind: 'app', appId: nextId, deploymentId: 1 }),
    env: {},
    command,
    network,
    aliases: [`app-${nextId}`],
    volumes: [],
    restart: 'no',
    ...change,
  }
}
const sh = (script: string, change: Partial<ContainerSpec> = {}) => spec(['sh', '-c', script], change)
const state = async (id: string) => (await engine.containers.inspect(id))?.state
const signal = () => AbortSignal.timeout(30_000)

async function lines(id: string, options: Parameters<typeof engine.logs>[1] = {}): Promise<LogLine[]> {
  const all: LogLine[] = []
  for await (const line of engine.logs({ id, isTty: false }, options)) all.push(line)
  return all
}

describe('a container', () => {
  it('keeps its address while it is stopped, and the address is not reused right after it is removed', async () => {
    const addressOf = async (id: string) => (await engine.containers.inspect(id))?.ips[network]
    const first = await engine.containers.start(sh('sleep 100', { turn: 41 }))
    const address = await addressOf(first)
    expect(address).toMatch(/\.169$/)
    await engine.containers.stop(first, 0)
    const second = await engine.containers.start(sh('sleep 100', { turn: 41 }))
    expect(await addressOf(second)).toMatch(/\.170$/)
    await engine.containers.startAgain(first)
    expect(await addressOf(first)).toBe(address)
    await engine.containers.remove(first)
    const third = await engine.containers.start(sh('sleep 100', { turn: 42 }))
    expect(await addressOf(third)).toMatch(/\.171$/)
    const byEngine = await engine.containers.start(sh('sleep 100'))
    expect(Number((await addressOf(byEngine))?.split('.').at(-1))).toBeLessThan(128)
  })

  it('can be started, inspected, stopped, started again, restarted and removed', async () => {
    const wanted = sh('trap "exit 0" TERM; while :; do sleep 0.1; done', {
      env: { GREETING: 'a "b" $c\n€=' },
      memoryBytes: 64 * 1024 * 1024,
    })
    const id = await engine.containers.start(wanted)
    const running = await engine.containers.inspect(id)
    expect(running).toMatchObject({ id, name: wanted.name, state: 'running', exitCode: null, oomKilled: false, restartCount: 0 })
    expect(running?.status).toMatch(/^Up /)
    expect(running?.ips[network]).toMatch(/^10\.2[23]\d\./)
    expect((await engine.containers.list({ labels: wanted.labels })).map((found) => found.id)).toEqual([id])
    expect((await engine.exec(id, ['sh', '-c', 'echo "$GREETING"'], signal())).output).toBe('a "b" $c\n€=\n')
    await engine.containers.stop(id, 5)
    await engine.containers.stop(id, 5)
    expect(await engine.containers.inspect(id)).toMatchObject({ state: 'exited', exitCode: 0 })
    await engine.containers.startAgain(id)
    await engine.containers.restart(id, 5)
    expect(await state(id)).toBe('running')
    const usage = await engine.containers.stats(id)
    expect(usage?.memoryLimitBytes).toBe(64 * 1024 * 1024)
    const counters = await engine.containers.counters(id)
    expect(counters?.cpuNanoseconds).toBeGreaterThan(0)
    expect(counters?.memoryBytes).toBeGreaterThan(0)
    await engine.containers.remove(id)
    await engine.containers.remove(id)
    expect(await engine.containers.inspect(id)).toBeNull()
    await engine.containers.stop(id, 1)
  })

  it('has our restrictions, as the engine itself reports them', async () => {
    const id = await engine.containers.start(sh('sleep 600'))
    const { output } = await engine.exec(id, ['cat', '/proc/1/status'], signal())
    expect(output).toMatch(/NoNewPrivs:\s*1/)
    const effective = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(output)?.[1] ?? 'f'}`)
    const [netRaw, sysAdmin, mknod] = [13n, 21n, 27n].map((bit) => (effective >> bit) & 1n)
    expect([netRaw, sysAdmin, mknod]).toEqual([0n, 0n, 0n])
    await engine.containers.remove(id)
  })

  it('without its image or its program says so', async () => {
    await expect(engine.containers.start(spec(['x'], { image: 'berth/app-1:missing' }))).rejects.toMatchObject({
      name: 'EngineError',
      status: 404,
    })
    const id = await engine.containers.start(spec(['/no/such/program']))
    await expect.poll(() => state(id), { timeout: 20_000 }).toBe('exited')
    expect(await engine.containers.inspect(id)).toMatchObject({ exitCode: 127 })
  })

  it('with forbidden settings is refused before the engine is called', async () => {
    await expect(engine.containers.start(sh('true', { network: 'host' }))).rejects.toThrow(SpecRefused)
    await expect(engine.containers.start(sh('true', { volumes: [{ volume: '/etc', path: '/x' }] }))).rejects.toThrow(SpecRefused)
    await expect(engine.containers.start({ ...sh('true'), name: 'app-1' })).rejects.toThrow('not a container name')
  })

  it('that exits has an exit code, and out of memory is recognised', async () => {
    const died = await engine.containers.start(sh('exit 42'))
    await expect.poll(() => state(died), { timeout: 20_000 }).toBe('exited')
    expect(await engine.containers.inspect(died)).toMatchObject({ exitCode: 42, oomKilled: false })
    const runOutOfMemory = async () => {
      const hog = await engine.containers.start(
        spec(['awk', 'BEGIN { x = "aaaaaaaaaaaaaaaa"; while (1) x = x x }'], { memoryBytes: 16 * 1024 * 1024 }),
      )
      while ((await state(hog)) !== 'exited') await sleep(100)
      const ended = await engine.containers.inspect(hog)
      await engine.containers.remove(hog)
      return ended?.oomKilled
    }
    // the engine hears of it beside the end itself, and when it is busy it may hear the end first and never say it
    await expect.poll(runOutOfMemory, { timeout: 30_000 }).toBe(true)
  })

  it('tells which ports it listens on', async () => {
    const id = await engine.containers.start(sh('httpd -p 127.0.0.1:8081 -h /www; exec httpd -f -p 8080 -h /www'))
    const expected = [
      { port: 8080, loopbackOnly: false },
      { port: 8081, loopbackOnly: true },
    ]
    await expect
      .poll(async () => (await engine.containers.listeningPorts(id))?.filter(({ port }) => port < 9000), { timeout: 20_000 })
      .toEqual(expected)
    await engine.containers.remove(id)
    expect(await engine.containers.listeningPorts(id)).toBeNull()
  })

  it('runs a command and gives its exit code and output', async () => {
    const id = await engine.containers.start(sh('sleep 600'))
    expect(await engine.exec(id, ['sh', '-c', 'echo out; echo err >&2; exit 7'], signal())).toMatchObject({ exitCode: 7 })
    expect(await engine.exec(id, ['echo', '$(id); x'], signal())).toEqual({ exitCode: 0, output: '$(id); x\n' })
    await engine.containers.remove(id)
  })
})

describe('the log of a container', () => {
  it('has both streams, moments and a tail, and is resumed without a line twice', async () => {
    const id = await engine.containers.start(sh('for n in 1 2 3; do echo out-$n; done; echo err >&2'))
    await expect.poll(() => state(id), { timeout: 20_000 }).toBe('exited')
    const all = await lines(id)
    expect(all.filter(({ stream }) => stream === 'stdout').map(({ line }) => line)).toEqual(['out-1', 'out-2', 'out-3'])
    expect(all.filter(({ stream }) => stream === 'stderr').map(({ line }) => line)).toEqual(['err'])
    expect(all[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(await lines(id, { tail: 1 })).toHaveLength(1)
    const byMoment = all.toSorted((a, b) => (a.at < b.at ? -1 : 1))
    const resumed = await lines(id, { since: byMoment[1]?.at ?? '' })
    expect(resumed.map(({ line }) => line).toSorted()).toEqual(
      byMoment
        .slice(2)
        .map(({ line }) => line)
        .toSorted(),
    )
  })

  it('is followed until the container ends, and left when asked to', async () => {
    const ending = await engine.containers.start(sh('for n in 1 2 3; do echo $n; sleep 0.2; done'))
    expect((await lines(ending, { follow: true })).map(({ line }) => line)).toEqual(['1', '2', '3'])
    const endless = await engine.containers.start(sh('while :; do echo tick; sleep 0.1; done'))
    const seen: string[] = []
    for await (const { line } of engine.logs({ id: endless, isTty: false }, { follow: true })) {
      seen.push(line)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['tick', 'tick', 'tick'])
    const stop = new AbortController()
    const following = lines(endless, { follow: true, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
    await engine.containers.remove(endless)
  })

  it('cuts a line of a megabyte and survives bytes that are no text', async () => {
    const id = await engine.containers.start(sh("head -c 1000000 /dev/zero | tr '\\0' a; echo; printf '\\377\\376\\n'; echo end"))
    await expect.poll(() => state(id), { timeout: 20_000 }).toBe('exited')
    const all = await lines(id)
    expect(all.at(-1)?.line).toBe('end')
    expect(Math.max(...all.map(({ line }) => line.length))).toBeLessThan(17_000)
  })
})

describe('networks and volumes', () => {
  it('have subnets of our own pool, and asking twice gives the same one', async () => {
    const wanted = [2, 3, 2, 4, 3].map((projectId) => engine.networks.ensureProjectNetwork({ instance, projectId }))
    const made = await Promise.all(wanted)
    const subnets = new Set(made.flatMap((found) => found.subnets))
    expect(subnets.size).toBe(3)
    for (const subnet of subnets) expect(subnet).toMatch(/^10\.2(2[4-9]|3\d)\.\d+\.0\/24$/)
    expect(made[0]?.id).toBe(made[2]?.id)
    await engine.networks.remove(made[0]?.name ?? '')
    await engine.networks.remove(made[0]?.name ?? '')
  })

  it('keep projects apart and let the apps of one find each other', async () => {
    await engine.networks.ensureProjectNetwork({ instance, projectId: 5 })
    const web = await engine.containers.start(sh('echo hello > /www/index.html; exec httpd -f -p 8080 -h /www', { aliases: ['shop'] }))
    const near = await engine.containers.start(sh('sleep 600'))
    const far = await engine.containers.start(sh('sleep 600', { network: projectNetworkName(instance, 5) }))
    const fetch = ['sh', '-c', "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 shop 8080"]
    await expect.poll(async () => (await engine.exec(near, fetch, signal())).output, { timeout: 20_000 }).toContain('hello')
    expect((await engine.exec(far, fetch, signal())).exitCode).not.toBe(0)
    await Promise.all([web, near, far].map((id) => engine.containers.remove(id)))
  })

  it('keep data when the container goes, and only go when named', async () => {
    const volume = volumeName(instance, 77)
    const labels = labelsOf({ instance, kind: 'volume', appId: 77 })
    await engine.volumes.ensure(volume, labels)
    await engine.volumes.ensure(volume, labels)
    const mount = { volumes: [{ volume, path: '/data' }] }
    const first = await engine.containers.start(sh('echo row > /data/file; sleep 600', mount))
    await expect.poll(async () => (await engine.exec(first, ['cat', '/data/file'], signal())).output, { timeout: 20_000 }).toBe('row\n')
    await engine.containers.remove(first)
    const second = await engine.containers.start(sh('sleep 600', mount))
    expect((await engine.exec(second, ['cat', '/data/file'], signal())).output).toBe('row\n')
    await engine.containers.remove(second)
    expect((await engine.volumes.list({ labels })).map(({ name }) => name)).toEqual([volume])
    await engine.volumes.remove(volume)
    await engine.volumes.remove(volume)
    expect(await engine.volumes.list({ labels })).toEqual([])
  })

  /** An image with files and links at /data, which is a link itself, an account of its own, and a volume of its own. */
  async function imageWithData(tag: string, user = '0'): Promise<string> {
    const many = 'i=0; while [ $i -lt 2000 ]; do echo x > /srv/aa/$i; i=$((i+1)); done'
    const steps = `mkdir -p /srv/aa /srv/zz && ${many}; echo mine > /srv/zz/file; chown -R 55:44 /srv && chown 0:0 /srv && ln -s /srv /data`
    const links = 'ln -s ../../../../../up /srv/zz/up && ln /srv/zz/file /srv/zz/twin'
    await buildTestImage(engine, tag, { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN ${steps} && ${links}\nUSER ${user}\nVOLUME /cache\n` })
    return tag
  }

  it('that are empty get the files and owners that the image has there, and are given to its account', async () => {
    const volume = volumeName(instance, 78)
    await engine.volumes.ensure(volume, labelsOf({ instance, kind: 'volume', appId: 78 }))
    const image = await imageWithData(`berth-test/${instance}:data`, '55')
    const mount = { image, volumes: [{ volume, path: '/data' }] }
    const id = await engine.containers.start(sh('echo more > /data/new; rm -r /data/aa; sleep 600', mount))
    const listed = ['sh', '-c', 'ls /data; stat -c %u:%g:%h /data/zz/file; stat -c %u:%g /data/.; readlink /data/zz/up']
    const expected = 'new\nzz\n55:44:2\n55:0\n../../../../../up\n'
    await expect.poll(async () => (await engine.exec(id, listed, signal())).output, { timeout: 20_000 }).toBe(expected)
    await engine.containers.remove(id)
    const again = await engine.containers.start(sh('sleep 600', mount))
    expect((await engine.exec(again, ['ls', '/data'], signal())).output).toBe('new\nzz\n')
    expect(await engine.lentContainers.list({ labels: { 'berth.instance': instance } })).toEqual([])
    await engine.containers.remove(again)
    await engine.volumes.remove(volume)
    await engine.images.remove(image)
  })

  it('that were filled in part are filled again, and what the attempt left is no container of the app', async () => {
    await using proxy = await startEngineProxy()
    const behind = openTestEngine({ address: proxy.address })
    const volume = volumeName(instance, 80)
    await engine.volumes.ensure(volume, labelsOf({ instance, kind: 'volume', appId: 80 }))
    const image = await imageWithData(`berth-test/${instance}:data`)
    const wanted = sh('sleep 600', { image, volumes: [{ volume, path: '/data' }] })
    proxy.fail('PUT /containers/*/archive', { status: 500, times: 1 })
    await expect(behind.engine.containers.start(wanted)).rejects.toMatchObject({ status: 500 })
    expect(await engine.containers.list({ labels: wanted.labels })).toEqual([])
    const left = await engine.lentContainers.list({ labels: wanted.labels })
    expect(left).toMatchObject([{ isFilling: true }])
    const mounts = left.flatMap((each) => each.mounts)
    const [mounted, cache] = [mounts.find((mount) => mount.volume === volume), mounts.find(({ path }) => path === '/cache')]
    const half = archiveOf([{ path: 'zz/file', mode: 0o644, contents: Buffer.from('half') }])
    const { put } = createContainerContents({ transport: createTransport({ address: { socketPath: engineSocketPath() } }) })
    await put(left[0]?.id ?? '', mounted?.path ?? '', Readable.from([half]), undefined)
    // Another deployment, whose containers have other names.
    const id = await engine.containers.start({ ...wanted, name: containerName(instance, nextId, 2) })
    expect((await engine.exec(id, ['sh', '-c', 'cat /data/zz/file; ls /data'], signal())).output).toBe('mine\naa\nzz\n')
    expect(await engine.lentContainers.list({ labels: wanted.labels })).toEqual([])
    expect((await engine.volumes.list({ labels: {} })).map(({ name }) => name)).not.toContain(cache?.volume ?? volume)
    await engine.containers.remove(id)
    await engine.volumes.remove(volume)
    await engine.images.remove(image)
  })

  it('that a running container changes meanwhile lead nowhere else', async () => {
    const volume = volumeName(instance, 79)
    await engine.volumes.ensure(volume, labelsOf({ instance, kind: 'volume', appId: 79 }))
    const image = await imageWithData(`berth-test/${instance}:data`)
    const outside = await mkdtemp(join(tmpdir(), 'berth-outside-'))
    const volumes = [{ volume, path: '/data' }]
    const swap = `while [ ! -e /data/aa ]; do :; done; ln -s ${outside} /data/zz; echo swapped; sleep 600`
    const other = await engine.containers.start(sh(swap, { volumes }))
    const second = await engine.containers.start(sh('sleep 600', { volumes, image })).catch(() => undefined) // the link may be in the way
    await expect.poll(async () => (await lines(other)).map(({ line }) => line), { timeout: 20_000 }).toEqual(['swapped'])
    expect(await readdir(outside)).toEqual([])
    for (const id of [other, second]) if (id !== undefined) await engine.containers.remove(id)
    await engine.volumes.remove(volume)
    await engine.images.remove(image)
    await rm(outside, { recursive: true })
  })
})

describe('the engine', () => {
  it('tells what happens to our containers', async () => {
    const stop = new AbortController()
    const seen: ContainerEvent[] = []
    const following = (async () => {
      for await (const event of engine.events({ instance, signal: stop.signal })) seen.push(event)
    })()
    following.catch(() => undefined)
    // Another one each time, because the engine may not have begun to tell when the first one ends.
    const ids: string[] = []
    const ended = async () => {
      ids.push(await engine.containers.start(sh('exit 9')))
      return seen.find(({ action, containerId }) => action === 'die' && ids.includes(containerId))
    }
    await expect.poll(ended, { timeout: 20_000, interval: 500 }).toMatchObject({ labels: { 'berth.instance': instance } })
    const checked = await engine.containers.start(sh('sleep 600'))
    await engine.exec(checked, ['true'], signal())
    await engine.containers.remove(checked)
    const isGone = () => seen.some(({ action, containerId }) => action === 'destroy' && containerId === checked)
    await expect.poll(isGone, { timeout: 20_000 }).toBe(true)
    expect(seen.flatMap(({ action, containerId }) => (containerId === checked ? action : []))).toEqual(['start', 'die', 'destroy'])
    stop.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
  })

  it('that is cut off is unreachable, and recovers by itself', async () => {
    await using proxy = await startEngineProxy()
    const behind = openTestEngine({ address: proxy.address })
    await behind.engine.ping()
    await proxy.cut()
    await expect(behind.engine.ping()).rejects.toThrow(EngineUnreachable)
    await expect(behind.engine.containers.list({ labels: {} })).rejects.toThrow(EngineUnreachable)
    await expect(behind.engine.facts()).rejects.toThrow(EngineUnreachable)
    await proxy.restore()
    proxy.delay('GET /info', 200)
    expect((await behind.engine.facts()).version).not.toBe('')
    expect(proxy.requests).toContain('GET /info')
  })

  it('that fails one call is an error with its status, and a created container does not stay behind', async () => {
    await using proxy = await startEngineProxy()
    const behind = openTestEngine({ address: proxy.address })
    proxy.fail('POST /containers/*/start', { status: 500, times: 1 })
    const wanted = sh('sleep 600')
    await expect(behind.engine.containers.start(wanted)).rejects.toMatchObject({ name: 'EngineError', status: 500 })
    expect(await engine.containers.list({ labels: wanted.labels })).toEqual([])
    const id = await behind.engine.containers.start(wanted)
    await engine.containers.remove(id)
  })

  it('that resets a stream ends it as unreachable', async () => {
    await using proxy = await startEngineProxy()
    const behind = openTestEngine({ address: proxy.address })
    const id = await engine.containers.start(sh('while :; do echo tick; sleep 0.1; done'))
    const following = (async () => {
      for await (const _line of behind.engine.logs({ id, isTty: false }, { follow: true })) proxy.reset()
    })()
    await expect(following).rejects.toThrow(EngineUnreachable)
    await engine.containers.remove(id)
  })
})
