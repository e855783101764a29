/** The name under which the edge knows an app: in its maps, and in its access counts. */
export function appKey(appId: number): string {
  return `app-${appId}`
}
