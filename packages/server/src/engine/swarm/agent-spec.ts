import { hash } from 'node:crypto'
import { FINGERPRINT_LABEL, labelsOf } from '../labels.ts'
import { CALLER } from './agent-identity.ts'
import { AGENT, AGENT_IDENTITY, AGENT_PORT, AGENT_SOCKET } from './agent-program.ts'
import { constraintsOf } from './nodes.ts'

export type AgentPlan = {
  readonly instance: string
  /** Swarm's id of the server that it is for. */
  readonly nodeId: string
  /** The id of the network of agents. */
  readonly network: string
  /** Of the certificates: with another one, all agents get new ones. */
  readonly authority: string
}
type Given = { readonly image: string; readonly secret: { readonly id: string; readonly name: string } }

const SECOND_NS = 1e9
const MEMORY_BYTES = 128 * 1024 * 1024
const MOST_PROCESSES = 32
/** Its heap: it keeps nothing. */
const SMALL = ['--max-old-space-size=32', '--max-semi-space-size=1']
const ROOT = '0'
const ONLY_OWNER_READS = 0o400

export function agentServiceName({ instance, nodeId }: Pick<AgentPlan, 'instance' | 'nodeId'>): string {
  return `berth-${instance}-agent-${nodeId}`
}

/**
 * A service for each server, so that each has a key of its own that no other server gets. It is a global one, because Swarm then never looks
 * for another place for it.
 */
export function agentRequest(plan: AgentPlan, { image, secret }: Given): Record<string, unknown> {
  const body = withoutGiven(plan)
  const labels = labelsOf({ instance: plan.instance, kind: 'agent' })
  const file = { Name: AGENT_IDENTITY.split('/').at(-1), UID: ROOT, GID: ROOT, Mode: ONLY_OWNER_READS }
  const container = { ...body.container, Image: image, Secrets: [{ SecretID: secret.id, SecretName: secret.name, File: file }] }
  return {
    Name: agentServiceName(plan),
    Labels: { ...labels, [FINGERPRINT_LABEL]: agentFingerprint(plan) },
    TaskTemplate: { ...body.task, ContainerSpec: container },
    Mode: { Global: {} },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

/** The same as long as nothing has to be replaced but the image or the key. */
export function agentFingerprint(plan: AgentPlan): string {
  return hash('sha256', JSON.stringify([withoutGiven(plan), plan.authority]), 'hex').slice(0, 32)
}

/** The socket belongs to root, so the agent has to as well; it has no capability of root. */
function withoutGiven({ instance, nodeId, network }: AgentPlan) {
  const environment = { INSTANCE: instance, CALLER, IDENTITY: AGENT_IDENTITY, SOCKET: AGENT_SOCKET, PORT: String(AGENT_PORT) }
  return {
    container: {
      Command: ['node', ...SMALL, '-e', AGENT],
      Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
      User: `${ROOT}:${ROOT}`,
      Labels: labelsOf({ instance, kind: 'agent' }),
      ReadOnly: true,
      StopGracePeriod: SECOND_NS,
      CapabilityDrop: ['ALL'],
      Privileges: { NoNewPrivileges: true },
      Healthcheck: { Test: ['NONE'] },
      Mounts: [{ Type: 'bind', Source: AGENT_SOCKET, Target: AGENT_SOCKET, ReadOnly: true }],
    },
    task: {
      Resources: { Limits: { MemoryBytes: MEMORY_BYTES, Pids: MOST_PROCESSES } },
      // without end, since the image may be loaded later, but seldom: each try takes an address
      RestartPolicy: { Condition: 'any', Delay: 60 * SECOND_NS },
      Placement: { Constraints: [`node.id==${nodeId}`, ...constraintsOf({})] },
      Networks: [{ Target: network }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
}
