/** What is known of a failure beyond its sentence, as far as something can be suggested for it. Kept with the deployment. */
export type FailureFacts =
  /** It listens on these ports, and not on the one of the app. */
  | { readonly kind: 'other_ports'; readonly ports: readonly number[] }
  /** There is no Dockerfile where it is looked for. These are elsewhere, as seen from there. */
  | { readonly kind: 'no_dockerfile'; readonly found: readonly string[] }
  | { readonly kind: 'no_variable'; readonly name: string }
  | { readonly kind: 'full_disk' }
  /** Something outside the app was away, and may be back. */
  | { readonly kind: 'passing' }

export function storedFacts(facts: FailureFacts | undefined): string {
  return facts === undefined ? '' : JSON.stringify(facts)
}

export function factsIn(stored: string): FailureFacts | undefined {
  return stored === '' ? undefined : (JSON.parse(stored) as FailureFacts) // written by storedFacts alone
}
