import {
  CommitMissing,
  HostKeyChanged,
  RepositoryMissing,
  RepositoryNeedsCredentials,
  RepositoryUnreachable,
  SourceError,
  SourceRefused,
} from './errors.ts'

type Rule = { readonly says: RegExp; readonly error: () => SourceError }

const unreachable = (message: string) => () => new RepositoryUnreachable(message, { isTransient: true })

/**
 * Maps git's stderr (in the C locale, without URLs) to the message for the user. The first matching rule wins; git's own text is never
 * shown. The patterns have no unbounded repetition, because part of the text may come from the server.
 */
const RULES: readonly Rule[] = [
  {
    says: /fatal: out of memory|unable to create thread|cannot allocate memory/i,
    error: () =>
      new SourceError('Git needs more memory for this repository than it is allowed to use. Remove large files and old branches.'),
  },
  {
    says: /transport '[^'\n]{0,40}' not allowed|protocol '[^'\n]{0,40}' is not supported/i,
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
    says: /repository '' not found|returned error: 404|does not appear to be a git repository|not a git repository|repository not found/i,
    error: () => new RepositoryMissing('No repository was found at the clone URL. Check it; a private repository needs credentials.'),
  },
  {
    says: /dubious ownership/i,
    error: () => new RepositoryUnreachable('The repository belongs to another user of the machine and cannot be read.'),
  },
  {
    says: /host key verification failed/i,
    error: () => new HostKeyChanged(),
  },
  { says: /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i, error: () => new CommitMissing('') },
  {
    says: /bad config line \d{1,9} in (?:blob|file)/i,
    error: () => new SourceError('The file .gitmodules of the repository is not valid. Fix it, then deploy again.'),
  },
  { says: /no space left on device/i, error: () => new SourceError('There is no space left on the disk. Free some, then deploy again.') },
  {
    says: /could not resolve host|name or service not known/i,
    error: unreachable('The host of the clone URL could not be found. Check its spelling.'),
  },
  {
    says: /operation too slow|timed out|timeout/i,
    error: unreachable('The git host is too slow. Try again later.'),
  },
  {
    says: /unable to access|early eof|rpc failed|connection (reset|refused|closed)|hung up unexpectedly|returned error: 5\d\d|unexpected disconnect/i,
    error: unreachable('The connection to the git host failed. Try again later.'),
  },
]

const MAX_LINE = 300
const MAX_RAW_LINE = 4096 // a URL alone may have 2048
const MAX_LINES = 50
/** Of all that git and the server print. Each byte costs time, and a server can send them without end. */
const MAX_BYTES = 1024 * 1024

/** Collects the last lines that git itself wrote on stderr. Lines of the server start with `remote:` and are ignored. */
export function createFailureReader() {
  const lines: string[] = []
  let bytes = 0
  let line = '' // so far; anything beyond the limit is dropped, but never the beginning

  function endLine(): void {
    if (line !== '' && !line.startsWith('remote:')) lines.push(withoutAddresses(line).slice(0, MAX_LINE))
    if (lines.length > MAX_LINES) lines.shift()
    line = ''
  }

  return {
    /** Throws if there is too much. */
    add(chunk: Buffer): void {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new SourceError('The git host sends more messages than Berth can read (1 MiB). Check the clone URL.')
      const [first = '', ...others] = chunk.toString('utf8').split('\n')
      line += first.slice(0, MAX_RAW_LINE - line.length)
      for (const text of others) {
        endLine()
        line = text.slice(0, MAX_RAW_LINE)
      }
    },
    isEmpty: (): boolean => lines.length === 0 && line === '',
    failure(): SourceError {
      endLine()
      return failureOf(lines.join('\n'))
    },
  }
}

/** A URL can contain any words: a repository may be called `redirect` or `timeout`. */
function withoutAddresses(line: string): string {
  return line.replace(/'[a-z]{1,9}:\/\/[^']*'/g, "''")
}

function failureOf(text: string): SourceError {
  const rule = RULES.find(({ says }) => says.test(text))
  return rule === undefined ? new SourceError('Git could not read the repository. Check the clone URL and the branch.') : rule.error()
}
