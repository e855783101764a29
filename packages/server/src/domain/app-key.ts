/** The key of an app in the edge's maps and access counts. */
export function appKey(appId: number): string {
  return `app-${appId}`
}
