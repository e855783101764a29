const REFERENCE = /^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/

/** Where an image reference leads: the registry it is pulled from, and the reference as the engine is given it. */
export type ImageReference = { readonly registry: string; readonly text: string }

/**
 * An image that a user names, or null when it is not a reference. The engine takes a plain word also for the beginning of an image's id
 * (`image: a`, `image: sha256:a`), which would be anybody's image; with its repository in front it can only be a name.
 */
export function parseImageReference(text: string): ImageReference | null {
  if (!REFERENCE.test(text)) return null
  const slash = text.indexOf('/')
  if (slash === -1) return { registry: 'docker.io', text: `docker.io/library/${text}` }
  const first = text.slice(0, slash)
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost'
  return { registry: isHost ? first : 'docker.io', text }
}

/** One image, one name, however it is written: `a/b`, `docker.io/a/b` and `index.docker.io/a/b:latest` are the same. */
export function canonicalImageName(text: string): string {
  const reference = parseImageReference(text)
  if (reference === null) return text
  const path = reference.text.startsWith(`${reference.registry}/`) ? reference.text.slice(reference.registry.length + 1) : reference.text
  const isDockerHub = ['docker.io', 'index.docker.io', 'registry-1.docker.io'].includes(reference.registry)
  const registry = isDockerHub ? 'docker.io' : reference.registry
  const repository = isDockerHub && !path.includes('/') ? `library/${path}` : path
  return `${registry}/${/@|:[^/:]+$/.test(repository) ? repository : `${repository}:latest`}`
}
