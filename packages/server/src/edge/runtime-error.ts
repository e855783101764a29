/** HAProxy did not answer, or refused a command. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
}
