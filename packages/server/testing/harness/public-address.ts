import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * An address of this machine that nobody else uses, on an interface of its own. Its port 80 leads to `port`, as behind a router:
 * no socket is bound to port 80, so a Berth that serves on this machine, or another run of the tests, does not notice.
 */
export async function takePublicAddress(port: number): Promise<AsyncDisposable & { address: string }> {
  const address = `198.51.100.${randomInt(1, 255)}` // from the block that is kept for documentation: no real host has it
  const [name, peer] = ['a', 'b'].map((end) => `bt${port}${end}`) as [string, string] // one for each of the two ends
  const rule = ['OUTPUT', '-d', address, '-p', 'tcp', '--dport', '80', '-j', 'REDIRECT', '--to-ports', String(port)]
  const iptables = async (verb: '-I' | '-D') => await run('iptables', ['--wait', '-t', 'nat', verb, ...rule])
  const removeInterface = async () => await run('ip', ['link', 'delete', name])
  await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', peer])
  try {
    await run('ip', ['address', 'add', `${address}/32`, 'dev', name])
    for (const end of [name, peer]) await run('ip', ['link', 'set', end, 'up'])
    await iptables('-I')
  } catch (cause) {
    await removeInterface()
    throw cause
  }
  return {
    address,
    async [Symbol.asyncDispose]() {
      await iptables('-D')
      await removeInterface()
    },
  }
}
