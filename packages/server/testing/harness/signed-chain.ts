import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A certificate for this host that an intermediate signed, made by OpenSSL. The root's own signature is SHA-1; that of the intermediate
 * comes twice, of different days, as when an authority corrects it.
 */
export async function signedChain(host: string, digest: 'sha1' | 'sha256') {
  const dir = await mkdtemp(join(tmpdir(), 'berth-chain-'))
  const at = (name: string) => join(dir, name)
  const openssl = async (...args: string[]) => void (await run('openssl', args))
  try {
    await writeFile(at('ca.ext'), 'basicConstraints=CA:TRUE\n')
    await writeFile(at('leaf.ext'), `subjectAltName=DNS:${host}\n`)
    await openssl('req', '-x509', '-sha1', ...newKey(at('root.key')), '-out', at('root.pem'), '-days', '9', '-subj', '/CN=root')
    await openssl('req', ...newKey(at('middle.key')), '-out', at('middle.csr'), '-subj', '/CN=middle')
    await openssl('req', ...newKey(at('leaf.key')), '-out', at('leaf.csr'), '-subj', '/CN=leaf')
    const sign = async (name: string, by: string, ...more: string[]) =>
      await openssl('x509', '-req', '-in', at(`${name}.csr`), '-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`), '-CAcreateserial', ...more)
    await sign('middle', 'root', `-${digest}`, '-extfile', at('ca.ext'), '-days', '7', '-out', at('middle.pem'))
    await sign('middle', 'root', `-${digest}`, '-extfile', at('ca.ext'), '-days', '8', '-out', at('corrected.pem'))
    await sign('leaf', 'middle', '-sha256', '-extfile', at('leaf.ext'), '-days', '6', '-out', at('leaf.pem'))
    const read = async (name: string) => await readFile(at(name), 'utf8')
    const [leaf, middle, corrected, root] = [
      await read('leaf.pem'),
      await read('middle.pem'),
      await read('corrected.pem'),
      await read('root.pem'),
    ]
    return { chain: leaf + middle + root, corrected: leaf + corrected + root, key: await read('leaf.key') }
  } finally {
    await rm(dir, { recursive: true })
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'rsa:2048', '-nodes', '-keyout', file]
}
