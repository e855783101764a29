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

/** The parts of a name: `docker.io/library/nginx`, `1.27` and, if it was given, the digest. */
export type ImageParts = { readonly host: string; readonly repository: string; readonly tag: string; readonly digest: string }

const DIGEST = /^sha256:[0-9a-f]{64}$/

export function imageParts(text: string): ImageParts | null {
  if (parseImageReference(text) === null) return null
  const [name = '', digest = '', ...more] = canonicalImageName(text).split('@')
  if (more.length > 0 || (text.includes('@') && !DIGEST.test(digest))) return null
  const slash = name.indexOf('/')
  const colon = name.lastIndexOf(':')
  const end = colon > name.lastIndexOf('/') ? colon : name.length
  if (slash === -1 || end <= slash + 1) return null
  return { host: name.slice(0, slash), repository: name.slice(0, end), tag: name.slice(end + 1), digest }
}

/** Where a registry listens; null for Docker Hub. */
export function registryAddress(registry: string): { host: string; port: number } | null {
  if (registry === 'docker.io') return null
  const [host = '', port] = registry.split(':')
  return { host, port: Number(port) || 443 }
}

/** One spelling for each registry. */
export function canonicalRegistry(host: string): string {
  const lower = host.toLowerCase()
  return ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com'].includes(lower)
    ? 'docker.io'
    : lower.replace(/:443$/, '')
}
