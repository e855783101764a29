/** The code of an error of the system, of SQLite or of a library, such as `ENOENT`. */
export function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
