import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { agentName, createAgentIdentity } from '../../src/engine/swarm/agent-identity.ts'
import { AGENT_PORT } from '../../src/engine/swarm/agent-program.ts'
import { ABOUT_IMAGE_KEY } from '../../src/features/servers/image-authority.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { secretFile } from '../../src/lib/secret-file.ts'
import { newAuthority } from '../../src/lib/x509.ts'
import type { BedNode } from '../harness/swarm-bed.ts'
import { writeRows } from '../harness/write-rows.ts'

type Berth = Parameters<typeof writeRows>[0]
export type Caller = 'control plane' | 'stranger' | 'nobody'

const HOUR_MS = 3600_000

/** The agent on a node: where it is, and what it answers to whom. */
export async function openAgentLab({ berth, here, node }: { berth: Berth; here: BedNode; node: BedNode }) {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-agent-'))
  const name = (await node.run('docker', 'ps', '--filter', 'name=^berth-[a-z0-9]+-agent-', '--format', '{{.Names}}')).trim()
  const look = async (format: string) => (await node.run('docker', 'inspect', '--format', format, name)).trim()
  const address = await look('{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}')
  const server = agentName((await node.run('docker', 'info', '--format', '{{.Swarm.NodeID}}')).trim())
  const authority = await authorityOf(berth)
  const known = { 'control plane': authority, stranger: strange(authority.name) }
  await writeFile(path.join(directory, 'ca'), authority.certificate)
  for (const [caller, ca] of Object.entries(known)) {
    const { cert, key } = await createAgentIdentity({ authority: async () => ca, now: () => new Date() }).forCaller()
    await writeFile(path.join(directory, caller), cert + key)
  }

  /** The answer and its status. Throws if the agent does not speak with the caller. */
  async function ask(caller: Caller, call: string, method = 'GET'): Promise<string> {
    const proof = caller === 'nobody' ? [] : ['--cert', path.join(directory, caller)]
    const to = ['--cacert', path.join(directory, 'ca'), '--resolve', `${server}:${AGENT_PORT}:${address}`]
    const curl = ['-sS', '-m', '10', '-X', method, '-w', ' %{http_code}', ...proof, ...to, `https://${server}:${AGENT_PORT}${call}`]
    return await here.run('curl', ...curl)
  }

  return {
    name,
    address,
    port: String(AGENT_PORT),
    look,
    ask,
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true }),
  }
}

async function authorityOf(berth: Berth) {
  const secrets = createSecretBox(secretFile(path.join(berth.dataDir, 'secrets.key'), { mayCreate: false }))
  const row = await writeRows(berth, async (tx) => await tx.selectFrom('image_server').selectAll().executeTakeFirstOrThrow())
  const name = /CN=(.*)/.exec(new X509Certificate(row.certificate).subject)?.[1] ?? ''
  return { name, certificate: row.certificate, key: secrets.open(row.sealed_key, ABOUT_IMAGE_KEY) }
}

/** One of the same name, which nobody trusts. */
function strange(name: string) {
  const at = Date.now()
  return { name, ...newAuthority({ name, notBefore: new Date(at - HOUR_MS), notAfter: new Date(at + HOUR_MS) }) }
}
