/** HAProxy did not answer, or refused a command. */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError'
}

/** There was no answer, or not in time. The command may or may not have been executed. */
export class RuntimeSilent extends RuntimeError {
  override readonly name = 'RuntimeSilent'
}
