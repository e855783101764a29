const REFERENCE = /^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/

/** A parsed image reference: the registry it is pulled from, and the reference to pass to the engine. */
export type ImageReference = { readonly registry: string; readonly text: string }

/**
 * An image named by a user, or null if it is not a valid reference. The engine also accepts a prefix of an image id (`image: a`, `image:
 * sha256:a`), which could be anybody's image; with the repository in front it can only be a name.
 */
export function parseImageReference(text: string): ImageReference | null {
  if (!REFERENCE.test(text)) return null
  const slash = text.indexOf('/')
  if (slash === -1) return { registry: 'docker.io', text: `docker.io/library/${text}` }
  const first = text.slice(0, slash)
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost'
  return { registry: isHost ? first : 'docker.io', text }
}

/** The canonical name of an image: `a/b`, `docker.io/a/b` and `index.docker.io/a/b:latest` are the same. */
export function canonicalImageName(text: string): string {
  const reference = parseImageReference(text)
  if (reference === null) return text
  const path = reference.text.startsWith(`${reference.registry}/`) ? reference.text.slice(reference.registry.length + 1) : reference.text
  const isDockerHub = ['docker.io', 'index.docker.io', 'registry-1.docker.io'].includes(reference.registry)
  const registry = isDockerHub ? 'docker.io' : reference.registry
  const repository = isDockerHub && !path.includes('/') ? `library/${path}` : path
  return `${registry}/${/@|:[^/:]+$/.test(repository) ? repository : `${repository}:latest`}`
}
