/** Only an address of this dashboard is followed: a link to the login must not lead elsewhere. */
export function safeNext(next: string): string {
  return /^\/(?![/\\])/.test(next) ? next : '/'
}
