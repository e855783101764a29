/** The engine answered, and said no. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** No answer: the socket is missing, refused, was cut, or stayed silent for too long. Worth trying again later. */
export class EngineUnreachable extends Error {
  override readonly name = 'EngineUnreachable'
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`The container engine cannot be reached (${reason}).`, options)
  }
}

/** A build that ran and failed: an outcome for the user, not a fault of ours. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed'
  /** The engine's own words. */
  readonly reason: string
  /** What all steps printed last, each line with the number of its step in front: `#7 added 12 packages`. */
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

/** The engine answers, but its builder does not: it took a build and never began it. Only a restart of the engine helps. */
export class BuilderSilent extends Error {
  override readonly name = 'BuilderSilent'
  constructor(waitedMs: number) {
    const waited = `${Math.round(waitedMs / 1000)} s`
    super(
      `The engine took the build but did not begin it within ${waited}: its builder is locked up, for every app. Restart the container engine (systemctl restart docker), then deploy again.`,
    )
  }
}

/** A container request, or a compose file, that asks for something that no app may have. `key` names it. */
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
