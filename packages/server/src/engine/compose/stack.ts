import type { ComposeBuild } from './parts.ts'

/** Anything undefined is left to the image or the engine. */
export type StackHealthcheck = {
  /** In the engine's format: `['CMD', …]`, `['CMD-SHELL', line]` or `['NONE']`. Without it the image's own command is kept. */
  readonly test?: readonly string[]
  readonly intervalMs?: number
  readonly timeoutMs?: number
  readonly startPeriodMs?: number
  readonly retries?: number
}

export type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully'
export type Dependency = { readonly service: string; readonly condition: Condition; readonly isOptional?: boolean }

/** `volume` is its name in the engine, which starts with the app's prefix. */
export type StackMount = {
  readonly volume: string
  readonly path: string
  readonly readOnly?: boolean
  /** Starts empty, without the image's files at the path. */
  readonly noCopy?: boolean
  /**
   * The files put into it before the service starts; `once`: the service may change them, so they are only put there until a release with
   * it was live.
   */
  readonly fill?: { readonly files: readonly PlacedFile[]; readonly once: boolean }
}

/** A file to put into a container or a volume. Its content is stored beside the plan by its hash, or is short and included here. */
export type PlacedFile = { readonly path: string; readonly mode: number } & ({ readonly blob: string } | { readonly text: string })

export type Ulimit = { readonly name: string; readonly soft: number; readonly hard: number }

export type HostPort = { readonly host: number; readonly hostIp: string; readonly container: number; readonly protocol: 'tcp' | 'udp' }

export type PublishedPort = HostPort & { readonly service: string }

/** One service as it will run: the supported parts of the file, and nothing else. */
export type StackService = {
  readonly name: string
  readonly image: string
  /** What the file calls an image that was pulled with credentials: its name on this machine is secret. */
  readonly shownImage?: string
  readonly platform?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly user?: string
  readonly workingDir?: string
  readonly hostname?: string
  readonly tty?: boolean
  readonly stdinOpen?: boolean
  readonly readOnly?: boolean
  readonly tmpfs?: readonly { readonly path: string; readonly options: string }[]
  readonly shmBytes?: number
  readonly stopSignal?: string
  readonly stopGraceSeconds?: number
  readonly restart: { readonly policy: 'no' | 'always' | 'unless-stopped' | 'on-failure'; readonly retries?: number }
  readonly healthcheck?: StackHealthcheck
  readonly dependsOn: readonly Dependency[]
  readonly mounts: readonly StackMount[]
  /** Those that somebody opened. */
  readonly ports: readonly HostPort[]
  readonly aliases: readonly string[]
  readonly capDrop: readonly string[]
  readonly capAdd?: readonly string[]
  readonly ulimits?: readonly Ulimit[]
  readonly sysctls?: Readonly<Record<string, string>>
  readonly extraHosts?: readonly string[]
  /** Put into the container before it starts. */
  readonly files?: readonly PlacedFile[]
  readonly memoryBytes?: number
  readonly cpus?: number
  /** How many containers do the same, where it is more than one. */
  readonly replicas?: number
  /** In plans of an earlier version: the definition label of its container. */
  readonly definition?: string
}

type StackBuild = ComposeBuild & { readonly service: string; readonly image: string }

/** What a compose app runs. Stored with each release. */
export type ComposePlan = {
  readonly services: readonly StackService[]
  readonly builds: readonly StackBuild[]
  readonly routedService: string | null
  /** The port of the routed service, if the app has none and the file says it. */
  readonly foundPort?: number
  /** Services with their own domains. */
  readonly alsoRouted?: readonly string[]
  /** What services publish in the file. None of it is opened on the machine unless somebody opens it. */
  readonly published?: readonly PublishedPort[]
  /** The file as it was written, and its name where it is one of a repository. */
  readonly source?: { readonly name: string; readonly text: string }
  /** Notes about what was left out or changed. */
  readonly notes?: readonly string[]
}
