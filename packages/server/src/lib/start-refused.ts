/** A start that cannot go on; the message is one sentence for the person at the terminal. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
