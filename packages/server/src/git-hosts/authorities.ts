import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tls from 'node:tls'
import { StartRefused } from '../lib/start-refused.ts'

export type Authorities = { readonly ca: readonly string[] | undefined; readonly caFile: (() => string) | undefined }

/** The certificate authorities of BERTH_CA_FILE, in addition to the usual ones: as a list for our own requests, and as one file for git. */
export function readAuthorities(ownFile: string | undefined, directory: string): Authorities {
  if (ownFile === undefined) return { ca: undefined, caFile: undefined }
  const ca = [...new Set([...tls.getCACertificates('bundled'), ...tls.getCACertificates('system'), ...certificatesIn(ownFile)])]
  let written: string | undefined
  const caFile = () => (written ??= write(path.join(directory, 'authorities.pem'), ca)) // on first use: startup empties the directory
  return { ca, caFile }
}

function write(file: string, ca: readonly string[]): string {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, ca.map((each) => each.trim()).join('\n'), { mode: 0o644 }) // git runs as the user `nobody`
  return file
}

function certificatesIn(file: string): string[] {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new StartRefused(`BERTH_CA_FILE="${file}" cannot be read.`)
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) throw new StartRefused(`BERTH_CA_FILE="${file}" is not valid: it must be a PEM file with certificates.`)
  return found
}
