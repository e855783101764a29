import { hash } from 'node:crypto'
import { parseCertificateList, RuntimeError } from './commands.ts'

/** What HAProxy says of a certificate: the leaf, and how many certificates follow it. */
export function fingerprintOf(leaf: string, following: number): string {
  return `${leaf}+${following}`
}

/** As in `EdgeCertificate`: HAProxy does not say which certificates follow. */
export function wholeFingerprint(shown: string, chain: string): string {
  return `${shown}+${hash('sha256', chain, 'hex').slice(0, 16)}`
}

/** Whether HAProxy, or we when we loaded it, may have meant this certificate. */
export function isSameCertificate(known: string, fingerprint: string): boolean {
  return fingerprint === known || fingerprint.startsWith(`${known}+`)
}

/** The runtime socket commands for certificates. */
export function createCertificateCommands(ask: (command: string) => Promise<string>) {
  /** For commands that confirm success. */
  async function expect(command: string, success: RegExp): Promise<void> {
    const answer = await ask(command)
    if (!success.test(answer)) throw new RuntimeError(`HAProxy refused "${command.slice(0, 60)}": ${answer.trim().slice(0, 300)}`)
  }

  /** Loads a certificate and starts using it: existing connections keep the old one, new ones get this one. */
  async function putCertificate(path: string, pem: string): Promise<void> {
    // one that was created but never filled also exists
    const isKnown = (await ask(`show ssl cert ${path}`)).includes('Filename:')
    if (!isKnown) await expect(`new ssl cert ${path}`, /New empty certificate store/)
    // a blank line would end the payload early
    const payload = (pem.match(/^-----BEGIN [^-]+-----\s*?$[^]*?^-----END [^-]+-----\s*?$/gm) ?? [])
      .flatMap((block) => block.split('\n').map((line) => line.trimEnd()))
      .filter((line) => line !== '')
      .join('\n')
    await endTransaction()
    try {
      await expect(`set ssl cert ${path} <<\n${payload}\n`, /Transaction (created|updated)/)
      await expect(`commit ssl cert ${path}`, /Success/)
    } catch (cause) {
      await endTransaction()
      throw cause
    }
  }

  /**
   * There is only one open transaction for all certificates, and the process that began it may have been killed. It is listed as a name
   * with an asterisk.
   */
  async function endTransaction(): Promise<void> {
    const [, open] = /^\*(.+)$/m.exec(await ask('show ssl cert')) ?? []
    if (open !== undefined) await ask(`abort ssl cert ${open}`)
  }

  /** The fingerprint of each certificate that HAProxy has loaded; unknown paths are left out. */
  async function certificateFingerprints(paths: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (let start = 0; start < paths.length; start += 50) {
      const text = await ask(
        paths
          .slice(start, start + 50)
          .map((path) => `show ssl cert ${path}`)
          .join(';'),
      )
      for (const block of text.split(/^(?=Filename: )/m)) {
        const [, path] = /^Filename: (.+)$/m.exec(block) ?? []
        const [, fingerprint] = /^SHA1 FingerPrint: ([0-9A-F]+)$/m.exec(block) ?? []
        const following = block.match(/^Chain Subject: /gm)?.length ?? 0
        if (path !== undefined && fingerprint !== undefined) found.set(path, fingerprintOf(fingerprint, following))
      }
    }
    return found
  }

  async function listCertificates(list: string) {
    return parseCertificateList(await ask(`show ssl crt-list -n ${list}`))
  }

  async function addToList(list: string, entry: { path: string; host: string }): Promise<void> {
    await expect(`add ssl crt-list ${list} <<\n${entry.path} ${entry.host}\n`, /Success/)
  }

  async function removeFromList(list: string, entry: { path: string; line: number }): Promise<void> {
    await expect(`del ssl crt-list ${list} ${entry.path}:${entry.line}`, /deleted/)
  }

  async function deleteCertificate(path: string): Promise<void> {
    await expect(`del ssl cert ${path}`, /deleted/)
  }

  return { putCertificate, certificateFingerprints, listCertificates, addToList, removeFromList, deleteCertificate }
}
