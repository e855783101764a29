/** The server cannot start; the message is for the person at the terminal. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
