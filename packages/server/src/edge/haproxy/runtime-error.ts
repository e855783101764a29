/** HAProxy did not answer, or refused a command. */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError'
}

/** Nobody answered, or not in time: what was asked may have been done or not. */
export class RuntimeSilent extends RuntimeError {
  override readonly name = 'RuntimeSilent'
}
