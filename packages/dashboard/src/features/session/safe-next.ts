/** Only paths of this dashboard are followed, so that a login link cannot redirect to another site. */
export function safeNext(next: string): string {
  return /^\/(?![/\\])/.test(next) ? next : '/'
}
