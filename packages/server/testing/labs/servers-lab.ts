import type { ErrorCode, Server } from '@berth/contract'
import { createEngine } from '../../src/engine/engine.ts'
import { startTestServer } from '../harness/start-test-server.ts'
import { type BedNode, openSwarmBed } from '../harness/swarm-bed.ts'
import { until } from './deploy-lab.ts'

/** Berth on the first of several machines. Each has an engine of its own, and the shared one is not touched. */
export async function openServersLab(options: { nodes: number; flags?: (node: string) => readonly string[] }) {
  const bed = await openSwarmBed(options)
  const [here, ...others] = bed.nodes
  if (!here) throw new Error('there is no machine')
  const env = { HOST: bed.gateway, DOCKER_HOST: `unix://${here.engine.socketPath}` }
  const berth = await startTestServer({ env }).catch(async (cause: unknown) => {
    await bed[Symbol.asyncDispose]()
    throw cause
  })
  const owner = await berth.owner()
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: here.engine, log, now: () => new Date() })

  /** Once it is as expected. */
  async function server(name: string, fits: (server: Server) => boolean = () => true): Promise<Server> {
    const read = async () => (await owner.call('servers.list')).servers.find((each) => each.name === name)
    const found = await until(read, (each) => each !== undefined && fits(each))
    if (!found) throw new Error(`there is no server ${name}`)
    return found
  }

  /** As a person does it: the command is printed here and run there. Returns the command. */
  async function join(node: BedNode): Promise<string> {
    const { command } = await owner.call('servers.add', { consent: true, address: here?.address ?? '' })
    await node.run('sh', '-c', command)
    return command
  }

  /** The code and the sentence of a refusal. */
  async function refusal(call: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
    try {
      await call
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause) return { code: cause.code as ErrorCode, message: cause.message } // an ApiError
      throw cause
    }
    throw new Error('it was not refused')
  }

  return {
    berth,
    owner,
    engine,
    here,
    others,
    server,
    join,
    refusal,
    async [Symbol.asyncDispose](): Promise<void> {
      await berth[Symbol.asyncDispose]()
      await bed[Symbol.asyncDispose]()
    },
  }
}

export function problemsOf({ checks }: Pick<Server, 'checks'>): string[] {
  return checks.filter(({ level }) => level === 'problem').map(({ check }) => check)
}
