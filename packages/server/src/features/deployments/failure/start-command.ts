/** Errors of the engine, and of the init process that every container has. */
const BY_ENGINE = /exec: "([^"]+)": (.+)/
const BY_INIT = /^\[FATAL tini \(\d+\)\] exec (.+) failed: (.+)$/m

/** Why the command of an image could not be started, if this text says so. */
export function startCommandWords(said: string): string | undefined {
  const lastLine = said.slice(said.lastIndexOf('\n') + 1)
  const [, command, words = ''] = BY_ENGINE.exec(lastLine) ?? BY_INIT.exec(said) ?? []
  const why = words.replace(/: unknown$/, '')
  return command === undefined ? undefined : `The container could not be started: "${command}": ${why}. ${fixFor(why)}`
}

function fixFor(why: string): string {
  if (/permission denied/i.test(why)) return 'Make the file executable (git update-index --chmod=+x).'
  if (/exec format error/i.test(why)) return 'The program was built for another CPU architecture than this server has.'
  return 'Check CMD and ENTRYPOINT in the Dockerfile.'
}
