/** Facts about a failure besides its message, from which suggestions are made. Stored with the deployment. */
export type FailureFacts =
  /** It listens on these ports instead of the app's port. */
  | { readonly kind: 'other_ports'; readonly ports: readonly number[] }
  /** There is no Dockerfile at the expected path. These are others, relative to it. */
  | { readonly kind: 'no_dockerfile'; readonly found: readonly string[] }
  | { readonly kind: 'no_variable'; readonly name: string }
  | { readonly kind: 'full_disk' }
  /** Something outside the app was unavailable, and may be back. */
  | { readonly kind: 'passing' }

export function storedFacts(facts: FailureFacts | undefined): string {
  return facts === undefined ? '' : JSON.stringify(facts)
}

export function factsIn(stored: string): FailureFacts | undefined {
  return stored === '' ? undefined : (JSON.parse(stored) as FailureFacts) // written by storedFacts alone
}
