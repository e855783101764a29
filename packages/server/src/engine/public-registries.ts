/** Large registries that no user of this server runs. */
export const PUBLIC_REGISTRIES: ReadonlySet<string> = new Set([
  'docker.io',
  'ghcr.io',
  'quay.io',
  'registry.gitlab.com',
  'public.ecr.aws',
  'mcr.microsoft.com',
  'registry.k8s.io',
])

/** For sentences. */
export const PUBLIC_REGISTRY_NAMES = [...PUBLIC_REGISTRIES].join(', ')
