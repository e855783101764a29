const MAX_BYTES = 512
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]|%2e|%2f|%5c|(^|\/)[A-Za-z]:/i
// No shell ever sees a path here; this is a second line of defence.
const SHELL = /[$`;|&<>"'*?!]/

/**
 * Normalises a path inside a repository as a user writes it (`rootDirectory`, `dockerfilePath`): relative, with `/`, without `.`. The
 * repository itself is `.`. Null if it leaves the repository or is not a valid path.
 */
export function parseRepoPath(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_BYTES || !text.isWellFormed() || FORBIDDEN.test(text) || SHELL.test(text)) return null
  if (text.startsWith('/')) return null
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  const isSafe = parts.every((part) => part !== '..' && part.trim() === part && !/^[-~]/.test(part) && part.toLowerCase() !== '.git')
  return isSafe ? parts.join('/') || '.' : null
}
