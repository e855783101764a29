/** The engine passes on what a registry says, however long it is. */
const LONGEST_WORDS = 16 * 1024

/** The engine answered with an error. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message.slice(0, LONGEST_WORDS))
    this.status = status
  }
}

/** No answer: the socket is missing, the connection was refused or lost, or timed out. Worth trying again later. */
export class EngineUnreachable extends Error {
  override readonly name: string = 'EngineUnreachable'
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`The container engine cannot be reached (${reason}).`, options)
  }
}

/** The Swarm does not answer: it has no leader, or this machine has lost the others. A leader is chosen within seconds. */
export class SwarmUnavailable extends EngineUnreachable {
  override readonly name = 'SwarmUnavailable'
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the Swarm does not answer: ${reason}`, options)
  }
}

/** Another server that is needed does not answer, or takes nothing now. The message says which one and what to do. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway'
}

/** A volume with the data of an app is not where it should be. The message says what to do. */
export class VolumeLost extends Error {
  override readonly name = 'VolumeLost'
}

/** A registry sends so slowly that it would keep others from downloading. */
export class PullTooSlow extends Error {
  override readonly name = 'PullTooSlow'
  constructor() {
    super(
      'The registry sent less than 1 MiB a minute for two minutes, so the download of the image was stopped. Check the registry, then deploy again.',
    )
  }
}

/** A build that ran and failed: a result for the user, not an error of ours. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed'
  /** The engine's own error message. */
  readonly reason: string
  /** The last output of all steps, each line prefixed with the number of its step: `#7 added 12 packages`. */
  readonly lastLines: readonly string[]
  readonly outOfMemory: boolean
  readonly outOfProcesses: boolean
  constructor(message: string, details: Pick<BuildFailed, 'reason' | 'lastLines' | 'outOfMemory' | 'outOfProcesses'>) {
    super(message)
    this.reason = details.reason
    this.lastLines = details.lastLines
    this.outOfMemory = details.outOfMemory
    this.outOfProcesses = details.outOfProcesses
  }
}

/** The engine responds, but its builder does not: it accepted a build and never started it. Only a restart of the engine helps. */
export class BuilderSilent extends Error {
  override readonly name = 'BuilderSilent'
  constructor(waitedMs: number) {
    const waited = `${Math.round(waitedMs / 1000)} s`
    super(
      `The engine accepted the build but did not start it within ${waited}. Its builder is stuck, which blocks every build. Restart the container engine (systemctl restart docker), then deploy again.`,
    )
  }
}

/** A container request or a compose file that asks for something no app may have. `key` names it. */
export class SpecRefused extends Error {
  override readonly name = 'SpecRefused'
  readonly key: string
  constructor(key: string, message: string) {
    super(message)
    this.key = key
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof EngineError && error.status === 404
}

export function isConflict(error: unknown): boolean {
  return error instanceof EngineError && error.status === 409
}
