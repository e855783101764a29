import { hash } from 'node:crypto'
import { FINGERPRINT_LABEL, labelsOf } from '../labels.ts'
import { CALLER } from './agent-identity.ts'
import { AGENT_IDENTITY, AGENT_SOCKET } from './agent-program.ts'
import type { AgentPlan } from './agent-spec.ts'
import { EDGE_AGENT, EDGE_AGENT_PORT, EDGE_DIRECTORY } from './edge-agent-program.ts'

type Given = { readonly image: string; readonly secret: { readonly id: string; readonly name: string } }

const SECOND_NS = 1e9
const MEMORY_BYTES = 256 * 1024 * 1024
const MOST_PROCESSES = 32
/** Its heap: the files of the edge pass through it, one at a time. */
const SMALL = ['--max-old-space-size=96', '--max-semi-space-size=1']
const ROOT = '0'
const ONLY_OWNER_READS = 0o400

export function edgeAgentName({ instance, nodeId }: Pick<AgentPlan, 'instance' | 'nodeId'>): string {
  return `berth-${instance}-edge-agent-${nodeId}`
}

/** Another server's agent has another name, so neither can answer for the other. */
export function edgeAgentIdentity(nodeId: string): string {
  return `edge-${nodeId}`
}

/** Pinned to its server, whether that has passed its check or not: visitors come in over it until an owner switches its edge off. */
export function edgeAgentRequest(plan: AgentPlan, { image, secret }: Given): Record<string, unknown> {
  const body = withoutGiven(plan)
  const labels = labelsOf({ instance: plan.instance, kind: 'edge-agent' })
  const file = { Name: AGENT_IDENTITY.split('/').at(-1), UID: ROOT, GID: ROOT, Mode: ONLY_OWNER_READS }
  const container = { ...body.container, Image: image, Secrets: [{ SecretID: secret.id, SecretName: secret.name, File: file }] }
  return {
    Name: edgeAgentName(plan),
    Labels: { ...labels, [FINGERPRINT_LABEL]: edgeAgentFingerprint(plan) },
    TaskTemplate: { ...body.task, ContainerSpec: container },
    Mode: { Global: {} },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

/** The same as long as nothing has to be replaced but the image or the key. */
export function edgeAgentFingerprint(plan: AgentPlan): string {
  return hash('sha256', JSON.stringify([withoutGiven(plan), plan.authority]), 'hex').slice(0, 32)
}

function withoutGiven({ instance, nodeId, network }: AgentPlan) {
  const labels = labelsOf({ instance, kind: 'edge-agent' })
  const environment = {
    INSTANCE: instance,
    CALLER,
    IDENTITY: AGENT_IDENTITY,
    SOCKET: AGENT_SOCKET,
    PORT: String(EDGE_AGENT_PORT),
    DIR: EDGE_DIRECTORY,
    LABELS: JSON.stringify(labelsOf({ instance, kind: 'edge' })),
    FINGERPRINT_LABEL,
  }
  const volume = (name: string, target: string) => ({ Type: 'volume', Source: name, Target: target, VolumeOptions: { Labels: labels } })
  return {
    container: {
      Command: ['node', ...SMALL, '-e', EDGE_AGENT],
      Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
      User: `${ROOT}:${ROOT}`,
      Labels: labels,
      ReadOnly: true,
      StopGracePeriod: SECOND_NS,
      CapabilityDrop: ['ALL'],
      Privileges: { NoNewPrivileges: true },
      Healthcheck: { Test: ['NONE'] },
      Mounts: [
        { Type: 'bind', Source: AGENT_SOCKET, Target: AGENT_SOCKET, ReadOnly: true },
        volume(`berth-${instance}-edge`, EDGE_DIRECTORY),
        volume(`berth-${instance}-edge-run`, `${EDGE_DIRECTORY}/run`),
      ],
    },
    task: {
      Resources: { Limits: { MemoryBytes: MEMORY_BYTES, Pids: MOST_PROCESSES } },
      RestartPolicy: { Condition: 'any', Delay: 10 * SECOND_NS },
      Placement: { Constraints: [`node.id==${nodeId}`] },
      Networks: [{ Target: network }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
}
