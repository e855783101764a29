import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFakeSwarm } from '../../../testing/harness/fake-swarm.ts'
import { newAuthority } from '../../lib/x509.ts'
import { createDownloads } from '../downloads/downloads.ts'
import { createImages } from '../images.ts'
import { createImageServer } from './image-server.ts'

const times = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 3600_000) }
const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }

async function openLab() {
  await using stack = new AsyncDisposableStack()
  const fake = stack.use(await openFakeSwarm('abc', ['one']))
  const directory = await mkdtemp(join(tmpdir(), 'berth-image-server-'))
  stack.defer(async () => await rm(directory, { recursive: true, force: true }))
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo // of a listening TCP server
  const may = { isSwarm: true, listen: true }
  const images = createImageServer(
    {
      transport: fake.transport,
      images: createImages({ transport: fake.transport, downloads: createDownloads() }),
      swarm: fake.swarm,
      facts: async () => ({ version: '', platform: 'linux/arm64', cgroupDriver: '', directory: '' }),
      isSwarm: async () => may.isSwarm,
      usedImages: async () => [],
      now: () => new Date(),
      log: { info: () => undefined, warn: () => undefined },
    },
    {
      instance: 'abc',
      directory: join(directory, 'images'),
      port,
      floorBytes: 0,
      identity: async () => ({ authority, password: 'secret' }),
      mayListen: () => may.listen,
      ownerOf: async () => undefined,
      isUsed: () => true,
    },
  )
  stack.defer(async () => await images.close())
  const free = async () => {
    other.close()
    await once(other, 'close')
  }
  const held = stack.move()
  return { images, may, port, free, directory: join(directory, 'images'), [Symbol.asyncDispose]: async () => await held.disposeAsync() }
}

async function statusOf(port: number, path: string): Promise<number | string | undefined> {
  const request = https.get({ host: '127.0.0.1', port, path, ca: authority.certificate, auth: 'berth:secret', agent: false })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  } catch (cause) {
    return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  }
}

it('says which port is taken if it stays so, and listens once it is free', async () => {
  await using lab = await openLab()
  for (let tries = 0; tries < 3; tries += 1) await lab.images.keep()
  expect(lab.images.problem()).toBe('') // the process before may just be ending
  await lab.images.keep()
  expect(lab.images.problem()).toContain(`cannot listen on 127.0.0.1:${lab.port}, where the others get the images (EADDRINUSE)`)
  await lab.free()
  await lab.images.keep()
  expect(lab.images.problem()).toBe('')
  expect(await statusOf(lab.port, '/v2/')).toBe(200)
})

it('listens only in a Swarm, and of several control planes only where it may', async () => {
  await using lab = await openLab()
  await lab.free()
  for (const change of [{ isSwarm: false }, { isSwarm: true, listen: false }]) {
    Object.assign(lab.may, { isSwarm: true, listen: true })
    await lab.images.keep()
    expect(await statusOf(lab.port, '/v2/')).toBe(200)
    Object.assign(lab.may, change)
    await lab.images.keep()
    expect(await statusOf(lab.port, '/v2/')).toBe('ECONNREFUSED')
  }
})

it('lends an image for a check, each time another one', async () => {
  await using lab = await openLab()
  await lab.free()
  const [one, two] = [await lab.images.lend(), await lab.images.lend()]
  expect(one.image).not.toBe(two.image)
  const [host = '', name = '', digest = ''] = one.image.split(/[/@]/)
  expect([host, one.credentials]).toEqual([`127.0.0.1:${lab.port}`, { host, username: 'berth', password: 'secret' }])
  expect(await statusOf(lab.port, `/v2/${name}/manifests/${digest}`)).toBe(200)
  expect(await lab.images.trust()).toEqual({ host, certificate: authority.certificate })
})

it('leaves nothing without a Swarm', async () => {
  await using lab = await openLab()
  await mkdir(lab.directory)
  await writeFile(join(lab.directory, 'left'), '')
  lab.may.isSwarm = false
  await lab.images.cleanUp()
  await expect(access(lab.directory)).rejects.toThrow('ENOENT')
})
