import { CommitMissing, RepositoryNeedsCredentials, RepositoryUnreachable, SourceError, SourceRefused } from './errors.ts'

type Rule = { readonly says: RegExp; readonly error: () => SourceError }

const unreachable = (message: string) => () => new RepositoryUnreachable(message, { isTransient: true })

/** What git says on stderr (in the C locale) → what we tell the user. The first rule that matches wins; git's own text is never passed on. */
const RULES: readonly Rule[] = [
  {
    says: /transport '.*' not allowed|protocol '.*' is not supported/i,
    error: () => new SourceRefused('That kind of clone URL is not allowed.'),
  },
  {
    says: /could not read (username|password)|authentication failed|returned error: 40[137]|permission denied \(|terminal prompts disabled/i,
    error: () => new RepositoryNeedsCredentials(),
  },
  {
    says: /returned error: 30[1278]|redirect/i,
    error: () => new SourceRefused('The clone URL redirects to another address. Use the address that it redirects to.'),
  },
  {
    says: /repository '.*' not found|returned error: 404|does not appear to be a git repository|not a git repository|repository not found/i,
    error: () => new RepositoryUnreachable('No repository was found at the clone URL. Check it; a private repository needs credentials.'),
  },
  {
    says: /dubious ownership/i,
    error: () => new RepositoryUnreachable('The repository belongs to another user of the machine and cannot be read.'),
  },
  {
    says: /host key verification failed/i,
    error: () => new RepositoryUnreachable("The SSH host key of the repository's host has changed."),
  },
  { says: /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i, error: () => new CommitMissing('') },
  { says: /no space left on device/i, error: () => new SourceError('There is no space left on the disk. Free some, then deploy again.') },
  {
    says: /could not resolve host|name or service not known/i,
    error: unreachable('The host of the clone URL could not be found. Check its spelling.'),
  },
  {
    says: /operation too slow|timed out|timeout/i,
    error: unreachable("The repository's host answered too slowly. Try again later."),
  },
  {
    says: /unable to access|early eof|rpc failed|connection (reset|refused|closed)|hung up unexpectedly|returned error: 5\d\d|unexpected disconnect/i,
    error: unreachable("The connection to the repository's host failed. Try again later."),
  },
]

export function failureOf(stderr: string): SourceError {
  const rule = RULES.find(({ says }) => says.test(stderr))
  return rule === undefined ? new SourceError('Git could not read the repository. Check the clone URL and the branch.') : rule.error()
}
