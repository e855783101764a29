import type { EdgeCertificate } from '../edge.ts'
import { isSameCertificate } from '../haproxy/certificates.ts'
import { RuntimeError, RuntimeSilent } from '../haproxy/commands.ts'
import type { HaproxyRuntime } from '../haproxy/runtime.ts'
import type { EdgePaths } from '../paths.ts'

/** How many certificates are compared by content in one full pass; the next pass continues after them. */
const COMPARED_AT_ONCE = 100

export type RefusedCertificate = { readonly certificate: EdgeCertificate; readonly reason: string }

/** Updates a running HAProxy to the wanted certificates. */
export function createCertificateApplier(deps: {
  paths: EdgePaths
  runtime: HaproxyRuntime
  readCertificate: (path: string) => Promise<string>
}) {
  const { paths, runtime, readCertificate } = deps
  /** By path: the fingerprint of what we loaded, or, from before our start, what HAProxy says. */
  const loaded = new Map<string, string>()
  let compareFrom = 0

  /** Returns the entries that are no longer wanted, and the certificates that HAProxy rejected. */
  async function add(certificates: readonly EdgeCertificate[], isFull: boolean) {
    if (isFull) await compareContents(certificates)
    const listed = await runtime.listCertificates(paths.certificateList)
    const inUse = new Set(listed.map(({ path, host }) => `${path} ${host}`))
    const refused: RefusedCertificate[] = []
    for (const certificate of certificates) {
      try {
        await addOne(certificate, inUse)
      } catch (cause) {
        // an HAProxy that is busy or not running has not rejected anything
        if (!(cause instanceof RuntimeError) || cause instanceof RuntimeSilent) throw cause
        await runtime.info()
        refused.push({ certificate, reason: cause.message })
      }
    }
    const wanted = new Set(certificates.map(({ path, host }) => `${path} ${host}`))
    return { surplus: listed.filter(({ path, host }) => !wanted.has(`${path} ${host}`)), refused }
  }

  async function addOne({ path, host, fingerprint }: EdgeCertificate, inUse: ReadonlySet<string>): Promise<void> {
    const known = loaded.get(path)
    if (known === undefined || !isSameCertificate(known, fingerprint)) await runtime.putCertificate(path, await readCertificate(path))
    loaded.set(path, fingerprint)
    if (!inUse.has(`${path} ${host}`)) await runtime.addToList(paths.certificateList, { path, host })
  }

  /**
   * Compares everything once after a restart of either side, and after that a part at a time, because thousands of certificates are slow
   * to list.
   */
  async function compareContents(certificates: readonly EdgeCertificate[]): Promise<void> {
    const files = certificates.map(({ path }) => path)
    const unknown = files.filter((path) => !loaded.has(path))
    const part = files.slice(compareFrom, compareFrom + COMPARED_AT_ONCE)
    compareFrom = compareFrom + COMPARED_AT_ONCE < files.length ? compareFrom + COMPARED_AT_ONCE : 0
    const looked = [...new Set([...unknown, ...part])]
    const held = await runtime.certificateFingerprints(looked)
    for (const path of looked) {
      const [known, shown] = [loaded.get(path), held.get(path)]
      if (shown === undefined) loaded.delete(path)
      else if (known === undefined || !isSameCertificate(shown, known)) loaded.set(path, shown)
    }
  }

  async function remove(entry: { path: string; line: number }): Promise<void> {
    await runtime.removeFromList(paths.certificateList, entry)
    loaded.delete(entry.path)
    await runtime.deleteCertificate(entry.path)
  }

  /** A new HAProxy has none of the certificates added to the previous one. */
  function invalidate(): void {
    loaded.clear()
  }

  return { add, remove, invalidate }
}
