/** Errors of a source, each with a message that the app's owner can act on. `isTransient` says whether the same call may work later. */
export class SourceError extends Error {
  override readonly name: string = 'SourceError'
  readonly isTransient: boolean
  constructor(message: string, options: { isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isTransient = options.isTransient ?? false
  }
}

export class BranchMissing extends SourceError {
  override readonly name = 'BranchMissing'
  readonly branches: readonly string[]
  constructor(branch: string, branches: readonly string[]) {
    const shown = branches.slice(0, 10).join(', ') + (branches.length > 10 ? ', …' : '')
    super(
      branches.length === 0
        ? 'The repository has no branches yet. Push a commit first.'
        : `The repository has no branch "${branch}". Its branches are: ${shown}.`,
    )
    this.branches = branches
  }
}

export class RepositoryNeedsCredentials extends SourceError {
  override readonly name = 'RepositoryNeedsCredentials'
  constructor() {
    super('The repository asks for credentials. Make it public, or connect a git account that can read it.')
  }
}

/** The host rejected the credential. */
export class CredentialRefused extends SourceError {
  override readonly name = 'CredentialRefused'
}

/** An ssh URL without a deploy key. */
export class DeployKeyMissing extends SourceError {
  override readonly name = 'DeployKeyMissing'
  constructor() {
    super('An ssh clone URL needs a deploy key. Create one for the app, add its public half to the repository at its host, then try again.')
  }
}

export class DeployKeyRefused extends SourceError {
  override readonly name = 'DeployKeyRefused'
  constructor() {
    super("The repository's host does not accept the deploy key. Add the app's public key to the repository there.")
  }
}

export class HostKeyChanged extends SourceError {
  override readonly name = 'HostKeyChanged'
  constructor() {
    super(
      "The SSH key of the repository's host is not the one that was pinned at the first use, so nothing was sent to it. If the host has a new key, forget the pinned one in the app's settings and deploy again.",
    )
  }
}

export class RepositoryUnreachable extends SourceError {
  override readonly name = 'RepositoryUnreachable'
}

/** A private repository looks the same to those who may not read it. */
export class RepositoryMissing extends RepositoryUnreachable {}

export class RepositoryTooLarge extends SourceError {
  override readonly name = 'RepositoryTooLarge'
  constructor(limit: string) {
    super(`The repository is too large: it has more than ${limit}. Remove large files, or deploy from a smaller repository.`)
  }
}

/** An address, a path or a name that we refuse. */
export class SourceRefused extends SourceError {
  override readonly name = 'SourceRefused'
}

export class CommitMissing extends SourceError {
  override readonly name = 'CommitMissing'
  constructor(hash: string) {
    super(`The repository has no commit ${hash.slice(0, 12)}. Check the hash, or deploy again to use the newest commit.`)
  }
}
