import type { Finding } from '@berth/contract'
import type { Reach } from '../../engine/swarm/gossip-reach.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import type { Probed } from '../../engine/swarm/probe.ts'
import type { Told } from './closed-to-apps.ts'
import { type Trust, trustCommand } from './join-command.ts'

const OLDEST_ENGINE = [20, 10] as const
const CLOCK_WARNING_MS = 2000
const CLOCK_PROBLEM_MS = 60_000

const HARDENING = 'no-new-privileges'
const FIREWALL = 'firewall'

type Done = Extract<Probed, { is: 'done' }>

/** What a check of a server found, in the order in which things are needed. */
export function findingsOf(node: SwarmNode, probed: Probed, { rules, trust }: Told): Finding[] {
  const known = [engine(node), finding('2377/tcp', 'ok', `${node.name} is connected to this server.`)]
  if (probed.is === 'without image') return [...known, withoutImage(node)]
  if (probed.is === 'failed') return [...known, notStarted(node, probed.reason)]
  return [
    ...known,
    gossip(node, 'tcp', probed.gossip.tcp),
    gossip(node, 'udp', probed.gossip.udp),
    overlay(node, probed),
    ...inside(node, probed),
    firewall(node, probed, rules),
    ...images(node, probed, trust),
  ]
}

function finding(check: string, level: Finding['level'], message: string, toDo = ''): Finding {
  return { check, level, message, toDo }
}

function engine({ engine: version, name }: SwarmNode): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST_ENGINE[0] || (major === OLDEST_ENGINE[0] && minor < OLDEST_ENGINE[1])
  if (isOld)
    return finding('engine', 'problem', `Docker ${version} is too old.`, `Install Docker ${OLDEST_ENGINE.join('.')} or newer on ${name}.`)
  return finding('engine', 'ok', `Docker ${version}`)
}

function withoutImage({ name }: SwarmNode): Finding {
  const toDo = `Get a new command with "Add server" (berth servers add) and run the part before "&&" on ${name}. Then check it again.`
  return finding('container', 'problem', `${name} does not have the image of the check. An update of Berth can bring a new one.`, toDo)
}

function notStarted({ name }: SwarmNode, reason: string): Finding {
  return finding(
    'container',
    'problem',
    `A container could not be run: ${reason}`,
    `Look at the log of Docker on ${name}, then check again.`,
  )
}

function gossip({ name }: SwarmNode, protocol: 'tcp' | 'udp', answer: Reach): Finding {
  const check = `7946/${protocol}`
  const toDo = `Allow ${check} between your servers, in both directions.`
  if (answer === 'open') return finding(check, 'ok', 'It answers.')
  if (answer === 'refused') return finding(check, 'problem', `${name} refuses connections.`, toDo)
  // an open UDP port is silent too
  if (protocol === 'udp') return finding(check, 'ok', 'Not refused. A firewall could still drop it.')
  return finding(check, 'problem', `${name} does not answer.`, toDo)
}

function overlay({ name }: SwarmNode, { passes, isFull }: Done): Finding {
  if (!passes)
    return finding(
      '4789/udp',
      'problem',
      `Nothing passes between containers on ${name} and here.`,
      'Allow 4789/udp between your servers, in both directions.',
    )
  if (isFull) return finding('4789/udp', 'ok', 'Packets of full size pass in both directions.')
  const toDo =
    'The network between the servers has a smaller MTU than their interfaces say, or drops fragments. Set the MTU of the interfaces to what really passes.'
  return finding('4789/udp', 'problem', 'Small packets pass, but packets of full size are lost.', toDo)
}

function inside({ name }: SwarmNode, { clockMs, passes, hasNoNewPrivileges }: Done): Finding[] {
  const away = Math.abs(clockMs)
  const level = away > CLOCK_PROBLEM_MS ? 'problem' : away > CLOCK_WARNING_MS ? 'warning' : 'ok'
  const words =
    away <= CLOCK_WARNING_MS ? 'The same time as here.' : `${Math.round(away / 1000)} s ${clockMs > 0 ? 'ahead of' : 'behind'} this server.`
  const clock = finding('clock', level, words, level === 'ok' ? '' : `Set the clock of ${name}, for example with systemd-timesyncd.`)
  const hardening = hasNoNewPrivileges
    ? finding(HARDENING, 'ok', 'Containers cannot gain privileges.')
    : finding(
        HARDENING,
        'problem',
        'Docker ignored the setting that containers must not gain privileges.',
        `Add "no-new-privileges": true to /etc/docker/daemon.json on ${name} and restart Docker there.`,
      )
  return [...(passes ? [clock] : []), hardening]
}

/** Nothing there keeps apps from these addresses, as Berth does on this server. */
function firewall({ name }: SwarmNode, { reached }: Done, rules: readonly string[]): Finding {
  if (reached.length === 0)
    return finding(FIREWALL, 'ok', 'Containers reach neither the control plane, nor metadata services, nor the ports of Swarm.')
  const commands = rules.map((rule) => `iptables -I ${rule}`).join('; ')
  const toDo = `Run on ${name} as root, and make it permanent, for example with iptables-persistent: ${commands}`
  return finding(FIREWALL, 'problem', `Containers there reach ${reached.join(' and ')}, which apps must not.`, toDo)
}

/** Only the log of the engine there says why it could not pull, so this names the usual reasons. */
function images({ name }: SwarmNode, { pulls }: Done, trust: Trust | undefined): Finding[] {
  if (pulls === undefined || trust === undefined) return []
  if (pulls) return [finding('images', 'ok', 'It gets images from this server.')]
  const [, port = ''] = trust.host.split(':')
  const toDo = `Allow ${port}/tcp from ${name} to this server. If ${name} joined before Berth gave images to other servers, also run there as root: ${trustCommand(trust)}`
  return [finding('images', 'problem', `${name} could not get an image from ${trust.host}, so no app can run there.`, toDo)]
}

/** With this problem what already runs there must be moved away; others only keep new containers from it. */
export function isUnsafe({ check, level }: Finding): boolean {
  return level === 'problem' && (check === HARDENING || check === FIREWALL)
}
