import { type AppProcess, type DeploymentComparison, limitWords } from '@berth/contract'
import type { ReleaseConfig } from '../../../domain/release-config.ts'

type Shown = { name: string; text: (config: ReleaseConfig) => string }

const SETTINGS: readonly Shown[] = [
  { name: 'Branch', text: ({ source }) => source?.branch ?? '' },
  { name: 'Root directory', text: ({ source }) => source?.rootDirectory ?? '' },
  { name: 'Dockerfile', text: ({ source }) => source?.dockerfilePath ?? '' },
  { name: 'Builder', text: ({ build }) => build?.builder ?? '' },
  { name: 'Image', text: ({ build }) => build?.image ?? '' },
  { name: 'Install command', text: ({ build }) => build?.installCommand ?? '' },
  { name: 'Build command', text: ({ build }) => build?.buildCommand ?? '' },
  { name: 'Start command', text: ({ build }) => build?.startCommand ?? '' },
  { name: 'Output directory', text: ({ build }) => build?.outputDirectory ?? '' },
  { name: 'Release command', text: ({ build }) => build?.releaseCommand ?? '' },
  { name: 'Submodules', text: ({ build }) => (build?.submodules === true ? 'fetched' : '') },
  { name: 'Git LFS', text: ({ build }) => (build?.lfs === true ? 'fetched' : '') },
  { name: 'Build arguments', text: ({ build }) => argumentsText(build?.buildArgs ?? {}) },
  { name: 'Build target', text: ({ build }) => build?.buildTarget ?? '' },
  { name: 'Volumes', text: ({ volumes = [] }) => volumes.map(({ name, path }) => `${name} at ${path}`).join(', ') },
  { name: 'Files', text: ({ files = [] }) => files.map(({ path, mode, version }) => `${path} (${mode}, version ${version})`).join(', ') },
  { name: 'Template', text: ({ template }) => template },
  { name: 'Port', text: ({ port }) => String(port ?? '') },
  { name: 'Health check path', text: ({ healthcheckPath }) => healthcheckPath },
  { name: 'Deployment strategy', text: ({ strategy }) => strategy },
  { name: 'Restart policy', text: ({ restart }) => restart },
  { name: 'CPU limit', text: ({ cpus }) => String(cpus ?? '') },
  { name: 'Memory limit', text: ({ memoryMb }) => (memoryMb === null ? '' : `${memoryMb} MB`) },
  { name: 'Replicas', text: ({ replicas = 1 }) => String(replicas) },
  { name: 'Processes', text: ({ processes = [] }) => processes.map(processText).join(', ') },
]

function processText({ name, command, replicas, ...limits }: AppProcess): string {
  const own = limitWords(limits)
  return `${name}${command === '' ? '' : `: ${command}`} (${replicas}${own && `, ${own}`})`
}

function argumentsText(given: Readonly<Record<string, string>>): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(' ')
}

/** Settings with their values; variables only by name, so that no value leaves this function. */
export function differences(before: ReleaseConfig, after: ReleaseConfig): Pick<DeploymentComparison, 'settings' | 'environment'> {
  const settings = SETTINGS.map(({ name, text }) => ({ name, before: text(before), after: text(after) }))
  const keys = [...new Set([...Object.keys(before.env), ...Object.keys(after.env)])].toSorted()
  const environment = keys.flatMap((key): DeploymentComparison['environment'] => {
    const [was, is] = [valueOf(before, key), valueOf(after, key)]
    if (was === is) return []
    return [{ key, is: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' }]
  })
  return { settings: settings.filter((each) => each.before !== each.after), environment }
}

/** Every object has inherited members, such as `constructor`. */
function valueOf({ env }: ReleaseConfig, key: string): string | undefined {
  return Object.hasOwn(env, key) ? env[key] : undefined
}
