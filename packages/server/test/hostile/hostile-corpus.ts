import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A directory that nothing may write to, and a port that nothing may connect to. */
export async function openCanary() {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-canary-'))
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  return {
    directory,
    port,
    file: (name: string) => path.join(directory, name),
    url: `http://127.0.0.1:${port}`,
    /** What was written or called: empty is good. */
    findings: async () => [...(await readdir(directory)), ...(calls === 0 ? [] : [`${calls} calls`])],
    async [Symbol.asyncDispose](): Promise<void> {
      server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Canary = Awaited<ReturnType<typeof openCanary>>

const FULL_WIDTH = '；ｔｏｕｃｈ'

/** Twenty texts that would do harm if anything interpreted them. Each leaves its own mark. */
export function hostileTexts(canary: Pick<Canary, 'file' | 'url'>): readonly string[] {
  const touch = (name: string) => `touch ${canary.file(name)}`
  return [
    `a;${touch('semicolon')}`,
    `a$(${touch('dollar')})`,
    `a\`${touch('backtick')}\``,
    `a|${touch('pipe')}`,
    `a&&${touch('and')}&`,
    `a\n${touch('newline')}\n`,
    `a';${touch('single')};'`,
    `a";${touch('double')};"`,
    `--upload-pack=${touch('option')}`,
    `-oProxyCommand=${touch('short-option')}`,
    `../../../../../..${canary.file('dots')}`,
    `a\u0000;${touch('nul')}`,
    `a\${IFS}&touch\${IFS}${canary.file('ifs')}`,
    `ext::sh -c touch% ${canary.file('ext')}`,
    `a\u202e⛵${FULL_WIDTH} ${canary.file('unicode')}`,
    `a;${touch('long')};${'x'.repeat(300)}`,
    `a%0atouch%20${canary.file('percent')}`,
    `{{constructor.constructor('return process')().mainModule.require('fs').writeFileSync('${canary.file('braces')}','')}}`,
    `a' or 1=1; attach database '${canary.file('sql')}' as x; --`,
    `${canary.url}/x.git`,
  ]
}
