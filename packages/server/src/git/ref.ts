import { SourceRefused } from './errors.ts'

const MAX_BYTES = 255
// What git itself refuses in a branch name, and control characters, which it refuses as well.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|^\/|^-|\.lock(\/|$)|(^|\/)\./
// Characters that git allows but shells interpret. No shell ever sees a branch name here; this is a second line of defence.
const SHELL = /[$`;|&<>"'(){}!]/

/** Whether a text may be the name of a branch. */
export function isBranchName(name: string): boolean {
  return (
    name !== '' &&
    name !== '@' &&
    name !== 'HEAD' &&
    Buffer.byteLength(name) <= MAX_BYTES &&
    name.isWellFormed() &&
    !FORBIDDEN.test(name) &&
    !SHELL.test(name)
  )
}

/** An empty name is fine: it means the default branch. */
export function checkBranch(branch: string | null): void {
  if (branch !== null && !isBranchName(branch)) throw new SourceRefused('That is not the name of a branch.')
}

/** Whether a text is a full commit hash (SHA-1 or SHA-256). */
export function isCommitHash(hash: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash)
}
