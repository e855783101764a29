import { createHash, X509Certificate } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../lib/write-durably.ts'
import type { EdgeCertificate } from '../edge.ts'
import { fingerprintOf, wholeFingerprint } from '../haproxy/certificates.ts'
import { makeDirectories, readIfThere } from '../map-files.ts'
import { routableHost } from '../maps.ts'

export type CertificateSource = 'acme' | 'uploaded'
export type StoredCertificate = EdgeCertificate & {
  readonly source: CertificateSource
  /** The authority it was ordered from, if any. */
  readonly directory: string | undefined
  readonly notBefore: Date
  readonly notAfter: Date
}

export type CertificatePem = { readonly chain: string; readonly key: string; readonly directory?: string }
/** A file that is not written yet, and what it will be. */
export type PreparedFile = { readonly stored: StoredCertificate; readonly text: string }

const FROM = 'From: '
const HOST = 'Host: '
const FILE = /^([a-z0-9.-]+)\.(acme|uploaded)\.pem$/
const HASHED = /^sha256-[0-9a-f]{64}$/
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*/g
/** 255 minus the suffix that `writeDurably` adds. */
const MOST_NAME = 251

/**
 * Certificates with their keys as PEM files, one for each host and source, readable only by us. HAProxy reads the same files when it starts.
 * What counts is in the database (`kept-certificates.ts`).
 */
export function createCertificateFiles(deps: { dir: string }) {
  const { dir } = deps

  async function list(): Promise<StoredCertificate[]> {
    await makeDirectories([dir])
    const found = new Map<string, StoredCertificate>()
    for (const file of (await readdir(dir)).sort()) {
      const [, name, source] = FILE.exec(file) ?? []
      if (name === undefined || (source !== 'acme' && source !== 'uploaded')) continue
      const pem = await readIfThere(join(dir, file))
      const host = HASHED.test(name) ? headerOf(pem ?? '', HOST) : name
      if (pem === undefined || host === undefined || fileName(host, source) !== file) continue
      const stored = describe(host, { source, pem, path: join(dir, file) })
      // sorted: an uploaded one replaces ours for the same host
      if (stored !== undefined) found.set(host, stored)
    }
    return [...found.values()]
  }

  /** The paths of the existing files, without reading them. */
  async function paths(): Promise<Set<string>> {
    await makeDirectories([dir])
    return new Set((await readdir(dir)).map((file) => join(dir, file)))
  }

  /** What the file will have and be called; nothing is written yet. */
  function prepare(host: string, source: CertificateSource, pem: CertificatePem): PreparedFile {
    if (routableHost(host) !== host) throw new Error(`not a host that can have a certificate: ${JSON.stringify(host)}`)
    const path = join(dir, fileName(host, source))
    // the lines before the first block are for people, and for us
    const head = `${pem.directory === undefined ? '' : `${FROM}${pem.directory}\n`}${HOST}${host}\n`
    const text = `${head}${pem.chain.trim()}\n${pem.key.trim()}\n`
    const stored = describe(host, { source, pem: text, path })
    if (stored === undefined) throw new Error(`the certificate for ${host} cannot be read`)
    return { stored, text }
  }

  async function write({ stored, text }: PreparedFile): Promise<StoredCertificate> {
    await makeDirectories([dir])
    if ((await readIfThere(stored.path)) !== text) await writeDurably(stored.path, text)
    return stored
  }

  async function put(host: string, source: CertificateSource, pem: CertificatePem): Promise<StoredCertificate> {
    return await write(prepare(host, source, pem))
  }

  /** Call after HAProxy's list no longer names the file: a list that names a missing file keeps HAProxy from starting. */
  async function remove(host: string, source: CertificateSource): Promise<void> {
    await rm(join(dir, fileName(host, source)), { force: true })
  }

  /** The same for all files that are not among these, except those that `isKept` says. */
  async function removeOthers(wanted: ReadonlySet<string>, isKept: (host: string, source: CertificateSource) => boolean): Promise<void> {
    await makeDirectories([dir])
    for (const file of await readdir(dir)) {
      const [, name = '', source] = FILE.exec(file) ?? []
      if ((source !== 'acme' && source !== 'uploaded') || wanted.has(join(dir, file))) continue
      const host = HASHED.test(name) ? headerOf((await readIfThere(join(dir, file))) ?? '', HOST) : name
      if (host === undefined || !isKept(host, source)) await rm(join(dir, file), { force: true })
    }
  }

  return { list, paths, prepare, write, put, remove, removeOthers }
}

export type CertificateFiles = ReturnType<typeof createCertificateFiles>

/** A host name can be longer than a file name. Those that do not fit are hashed, and the file contains the host. */
function fileName(host: string, source: CertificateSource): string {
  const plain = `${host}.${source}.pem`
  return plain.length <= MOST_NAME ? plain : `sha256-${createHash('sha256').update(host).digest('hex')}.${source}.pem`
}

function headerOf(pem: string, name: string): string | undefined {
  const [head = ''] = pem.split('-----BEGIN', 1)
  const line = head.split('\n').find((each) => each.startsWith(name))
  return line?.slice(name.length)
}

function describe(host: string, file: { source: CertificateSource; pem: string; path: string }): StoredCertificate | undefined {
  const leaf = parseLeaf(file.pem)
  if (leaf === undefined) return undefined
  const blocks = file.pem.match(CERTIFICATE) ?? []
  return {
    host,
    path: file.path,
    source: file.source,
    directory: headerOf(file.pem, FROM),
    fingerprint: wholeFingerprint(fingerprintOf(leaf.fingerprint.replaceAll(':', ''), blocks.length - 1), blocks.join('')),
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
  }
}

function parseLeaf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined // a damaged file is treated as missing: the host gets the placeholder and a new certificate
  }
}
